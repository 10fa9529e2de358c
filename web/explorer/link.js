// A session as the hash of an address: which models, the seed, and the script. Whatever comes in is a stranger's.
import { kLongestScript } from "./script.js";

const kKeys = ["models", "seed", "script"];
export const kLongestHash = 20_000;
export const kLargestSeed = 4_294_967_295;

/// `models`: their numbers in the page, the one looked at first.
export const print_link = ({ models, seed, script }) =>
  `#models=${models.map((one) => one + 1).join(",")}&seed=${seed}&script=${encodeURIComponent(script).replace(/%20/g, "+").replace(/%3B/g, ";")}`;

/// The session of a hash, or null for an empty one. A mistake is an Error with a sentence.
export function parse_link(hash, model_count) {
  const text = hash.replace(/^#/, "");
  if (!text) return null;
  if (text.length > kLongestHash) {
    throw new Error(`The link is too long for a session: at most ${kLongestHash.toLocaleString("en-US")} characters, found ${text.length.toLocaleString("en-US")}. The page starts with an empty memory.`);
  }
  const found = new Map();
  for (const part of text.split("&")) {
    const [key, ...rest] = part.split("=");
    if (!kKeys.includes(key) || rest.length !== 1 || found.has(key)) {
      throw new Error(`The link is not one of this page: it has ${kKeys.join(", ")}, each once. The page starts with an empty memory.`);
    }
    found.set(key, rest[0]);
  }
  let script;
  try {
    script = decodeURIComponent((found.get("script") ?? "").replace(/\+/g, " "));
  } catch {
    throw new Error("The link's script cannot be decoded. The page starts with an empty memory.");
  }
  if (script.length > kLongestScript) throw new Error(`The link's script is too long: at most ${kLongestScript} characters.`);
  const models = (found.get("models") ?? "1").split(",").map((one) => (/^[1-9]$/.test(one) ? Number(one) - 1 : -1));
  if (models.some((one) => one < 0 || one >= model_count) || new Set(models).size !== models.length) {
    throw new Error(`The link names models that are not in this page; it has ${model_count}, numbered from 1.`);
  }
  const seed = /^\d{1,10}$/.test(found.get("seed") ?? "1") ? Number(found.get("seed") ?? "1") : -1;
  if (seed < 0 || seed > kLargestSeed) throw new Error(`The link's seed is no whole number up to ${kLargestSeed}.`);
  return { models, seed, script };
}
