import assert from "node:assert/strict";
import { test } from "node:test";
import { kPath, kPhaseColours, distance, phase_pixel } from "../../../web/explorer/colours.js";
import { kLongestHash, parse_link, print_link } from "../../../web/explorer/link.js";
import { first_flip, frailest, layer_drift, next_mark, turn_of } from "../../../web/explorer/measure.js";
import { kLongestScript, kWords, parse_script, print_script } from "../../../web/explorer/script.js";

const task = { addresses: 8, values: 8, layers: 3 };

test("a script is read and printed back", () => {
  const text = "write 5 3; wait 96; ask all; ask 5; fork b; switch b; zero; zero 2; freeze; thaw; noise 0.01; floor 0.001; drop 1; mend; reset";
  assert.equal(print_script(parse_script(text, task)), text);
  assert.deepEqual(parse_script(" write 5\t3 ;; \n# a remark\nwait 96", task), [{ do: "write", address: 5, value: 3 }, { do: "wait", rows: 96 }]);
});

test("a mistake names its statement and says what was expected", () => {
  for (const [text, said] of [
    ["wirte 5 3", /Statement 1: There is no word “wirte”.*Did you mean write\?/],
    ["write 1 2; write 8 0", /Statement 2: .*an address from 0 to 7 and a value from 0 to 7/],
    ["write 1", /write ADDRESS VALUE/], ["ask", /or all/], ["ask 1 2", /or all/], ["wait -3", /number of rows/], ["wait 1e9", /number of rows/],
    ["wait 99999999999999", /number of rows/], ["zero 4", /layer from 1 to 3/], ["zero 0", /layer from 1 to 3/], ["noise lots", /number from 0 to 4/],
    ["fork <img>", /name of at most/], ["mend 3", /nothing behind it/], ["toString", /There is no word/], ["__proto__", /There is no word/],
    ["wait 6000000; wait 6000000", /in all/], ["ask 1;".repeat(700), /at most 600 statements/], ["x".repeat(kLongestScript + 1), /at most 6000 characters/],
  ]) assert.throws(() => parse_script(text, task), said, text);
});

test("every word has a form and a sentence", () => {
  for (const word of Object.values(kWords)) assert.ok(word.tells.length > 5 && typeof word.takes === "string");
});

test("a link carries a session there and back", () => {
  const session = { models: [2, 0], seed: 7, script: "write 5 3; wait 96; ask all" };
  assert.deepEqual(parse_link(print_link(session), 3), session);
  assert.doesNotMatch(print_link(session), /[\s<>"]/);
  assert.equal(parse_link("", 3), null);
  assert.equal(parse_link("#", 3), null);
});

test("a hash that is no session is refused with a sentence", () => {
  for (const [hash, said] of [
    [`#script=${"a".repeat(100_000)}`, /too long/], ["#curves", /not one of this page/], ["#script=%E0%A4%A", /cannot be decoded/],
    ["#models=4", /not in this page/], ["#models=1,1", /not in this page/], ["#models=0", /not in this page/], ["#models=", /not in this page/],
    ["#seed=-1", /seed/], ["#seed=99999999999", /not one|seed/], ["#seed=1&seed=2", /each once/], ["#__proto__=1", /not one of this page/],
    [`#script=${"a".repeat(kLongestHash - 100)}`, /too long/], ["#script=a=b", /not one of this page/],
  ]) assert.throws(() => parse_link(hash, 3), said, hash.slice(0, 60));
});

test("phases have colours at even steps round the circle", () => {
  const steps = kPath.map((lab, i) => distance(lab, kPath[(i + 1) % kPath.length]));
  const mean = steps.reduce((a, b) => a + b) / steps.length;
  for (const step of steps) assert.ok(Math.abs(step / mean - 1) < 0.25, `${step} beside ${mean}`);
  assert.equal(phase_pixel(0), phase_pixel(2 * Math.PI));
  assert.equal(phase_pixel(-Math.PI), phase_pixel(Math.PI));
  assert.equal(new Set(kPhaseColours).size, kPhaseColours.length);
});

// Linear sRGB as eyes see it that lack one kind of cone (Vienot, Brettel and Mollon 1999: red and green).
const kEyes = {
  protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};
const linear = (pixel) => [0, 8, 16].map((shift) => (((pixel >> shift) & 255) / 255) ** 2.2);

test("the two directions differ for colour-blind eyes, and depth shows without any colour", () => {
  for (const matrix of Object.values(kEyes)) {
    for (const turn of [0.4, 0.8, 1.2, 1.6, 2.0]) {
      const [plus, minus] = [turn, -turn].map((one) => matrix.map((row) => row.reduce((sum, k, i) => sum + k * linear(phase_pixel(one))[i], 0)));
      assert.ok(Math.hypot(...plus.map((x, i) => x - minus[i])) > 0.03, `at ${turn}`);
    }
  }
  for (const sign of [1, -1]) {
    const lightness = Array.from({ length: 128 }, (_, i) => kPath[(sign * i + 256) % 256][0]);
    lightness.slice(1).forEach((one, i) => assert.ok(one > lightness[i] - 1e-6, `lightness at ${i}`));
  }
});

test("turns are between minus pi and pi, and drift is the largest of them", () => {
  assert.ok(Math.abs(turn_of(2 * Math.PI - 0.01) + 0.01) < 1e-12);
  assert.equal(turn_of(Math.PI), Math.PI);
  const part = { phase: true, rows: 2, columns: 2, values: Float32Array.of(0.1, 6.28, 0, 3) };
  assert.ok(Math.abs(layer_drift(part, Float32Array.of(0.1, 0, 0, 2.5)) - 0.5) < 1e-6);
  assert.equal(layer_drift({ phase: false, values: Float32Array.of(3, 4) }, Float32Array.of(0, 5)), Math.sqrt(10) / 5);
});

test("curves have four points an octave", () => {
  let delay = 0;
  const marks = [];
  while (delay < 1000) marks.push(delay = next_mark(delay));
  assert.deepEqual(marks.slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 10]);
  assert.ok(marks.includes(512) && marks.length < 42);
});

test("a flip is an answer that was right at first", () => {
  assert.equal(first_flip([{ wrong: [2] }, { wrong: [2] }, { wrong: [2, 5] }]), 2);
  assert.equal(first_flip([{ wrong: [2] }, { wrong: [] }]), -1);
  assert.equal(first_flip([]), -1);
  assert.equal(frailest([0.05, 0.02, 0.04], [0.002, 0.15, 0.05], 0.005), 2);
  assert.equal(frailest([0.05], [0.002], 0.005), -1);
});
