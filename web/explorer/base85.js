// Bytes as text, five characters for four bytes: a twelfth shorter than base64, and no character that HTML or JSON would escape. The
// last group of n bytes has n + 1 characters. The same as `base85` in src/base/page_text.h.
const kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-./:;=?@[]^_|~";
const kGroup = 5;

export function to_base85(bytes) {
  const text = [];
  for (let i = 0; i < bytes.length; i += 4) {
    let group = 0;
    for (let k = 0; k < 4; ++k) group = group * 256 + (bytes[i + k] ?? 0);
    const letters = Array(kGroup);
    for (let k = kGroup - 1; k >= 0; --k, group = Math.floor(group / 85)) letters[k] = kLetters[group % 85];
    text.push(letters.slice(0, Math.min(4, bytes.length - i) + 1).join(""));
  }
  return text.join("");
}

/// The way back; null for a text that is none.
export function from_base85(text) {
  const rest = text.length % kGroup;
  if (rest === 1) return null;
  const bytes = new Uint8Array(Math.floor(text.length / kGroup) * 4 + Math.max(0, rest - 1));
  const value = new Uint8Array(128).fill(255);
  [...kLetters].forEach((letter, i) => { value[letter.charCodeAt(0)] = i; });
  for (let i = 0, to = 0; i < text.length; i += kGroup) {
    let group = 0;
    for (let k = 0; k < kGroup; ++k) {
      const digit = i + k < text.length ? value[text.charCodeAt(i + k)] ?? 255 : 84;
      if (digit === 255) return null;
      group = group * 85 + digit;
    }
    if (group > 0xffffffff) return null;
    for (let k = 3; k >= 0 && to < bytes.length; --k) bytes[to++] = Math.floor(group / 256 ** k) & 255;
  }
  return bytes;
}
