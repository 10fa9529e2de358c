// What the engine says of a model and its inside, in the shape that the page draws: every matrix with its part in the layer and its
// name in the code, the heads of a model without phases beside each other as one.

function role_of(part) {
  if (part.constant) return "schema";
  return part.name === "pending" ? "pending" : "state";
}

/// Matrices of the same height side by side.
function beside_each_other(parts, name) {
  const rows = parts[0].rows, columns = parts.reduce((sum, part) => sum + part.columns, 0);
  const values = new Float32Array(rows * columns);
  let left = 0;
  for (const part of parts) {
    for (let row = 0; row < rows; ++row) values.set(part.values.subarray(row * part.columns, (row + 1) * part.columns), row * columns + left);
    left += part.columns;
  }
  return { ...parts[0], name, rows, columns, values, heads: parts.length, increment: null };
}

export function read_layers(layers) {
  return layers.map((layer, index) => {
    const home = layer.name ?? `layers.${index}`;
    const parts = layer.parts.map((part) => ({ ...part, role: role_of(part), name: `${home}.${part.name}` }));
    const matrices = parts.filter((part) => part.role === "state" && !part.phase);
    if (matrices.length < 2 || matrices.some((part) => part.rows !== matrices[0].rows)) return { ...layer, parts };
    return { ...layer, parts: [beside_each_other(matrices, matrices[0].name.replace(/\.\d+$/, "")), ...parts.filter((part) => !matrices.includes(part))] };
  });
}

/// What a layer remembers with: its phases, or its matrices.
export const memory_of = (layer) => layer.parts.find((part) => part.role === "state");
export const part_of = (layer, role) => layer.parts.find((part) => part.role === role) ?? null;

export function read_model(model, name) {
  const { addresses, values } = model.task;
  return {
    ...model, name, chunk: model.options?.commit_every ?? 0, has_phases: model.layers.some((layer) => layer.parts.some((part) => part.phase)), layers: model.layers.length,
    state_size: model.persistent, scenarios: (model.scenarios ?? []).filter((one) => one.paper !== false),
    task: { ...model.task, defaults: model.task.defaults ?? Int32Array.from({ length: addresses }, (_, address) => address % values) },
  };
}

/// The engine, with its answers read so.
export function reading(engine) {
  const read = {
    inside: async (id) => { const inside = await engine.inside(id); return { ...inside, layers: read_layers(inside.layers) }; },
    scenario: async (...what) => ({ steps: (await engine.scenario(...what)).steps.map(({ count, ...step }) => (step.do === "wait" ? { do: "wait", rows: step.rows ?? count } : step)) }),
  };
  return new Proxy(engine, { get: (target, key) => read[key] ?? (typeof target[key] === "function" ? target[key].bind(target) : target[key]) });
}
