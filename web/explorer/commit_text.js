// What a commit does, in signs and in words: the paper's adds, the option `commit=pull` moves what is there.

const kAdds = {
  state: "S ← (S + ΔS) mod 2π",
  increment: "ΔS = P_wᵀ [π tanh F]",
  told: "S ← (S + ΔS) mod 2π. Angles are added; nothing is multiplied, nothing erased.",
  stored: "says by how much their angles shall turn",
  done: "the turns are added to S",
  forgetting: [
    "A commit adds whatever the chunk gathered, and questions gather a little too. No row is entirely without a trace, so S drifts while nothing is written. Nothing pulls it back: angles are only added. When the drift (solid) has come near to how deep the memory was written (dashed), answers begin to flip.",
    "A floor drops changes that are too small to be meant. New writes also come on top of the old ones, which are never taken away: after some dozens of writes the slots are full of sums."],
  again: "SchemaMem’s commit only adds, so the old value is never taken away: in the paper’s form the memory has a budget of writes that no training removes.",
};

const kPulls = {
  state: "S ← S + P_w (π tanh F − S), row by row",
  increment: "ΔS = S after the chunk − S before it",
  told: "S ← S + P_w (π tanh F − S). A write pulls its slots towards new angles and so takes the old ones away.",
  stored: "says to which angles they shall move",
  done: "S moves there, each slot as far as its write weight says",
  forgetting: [
    "A commit moves slots towards what the chunk's rows say, and questions move them a little too: S drifts while nothing is written. When the drift (solid) has come near to how deep the memory was written (dashed), answers begin to flip.",
    "Writing again is no burden here: a write takes away what the slot held, so that two different pasts become one. A floor drops changes that are too small to be meant."],
  again: "This SchemaMem pulls its slots towards what is written and so forgets what was there: it has no budget of writes. The paper’s only adds, and has one.",
};

export const commit_text = (model) => (model.options?.commit === "pull" ? kPulls : kAdds);
