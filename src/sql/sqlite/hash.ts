/** A 32-bit hash of a text. */
export const hashOf = (text: string): number => {
  let number = 0
  for (let at = 0; at < text.length; at++) number = (number * 31 + text.charCodeAt(at)) | 0
  return number
}
