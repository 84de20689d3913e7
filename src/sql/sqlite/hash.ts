/** A number for a text: the same every time, and seldom that of another. */
export const hashOf = (text: string): number => {
  let number = 0
  for (let at = 0; at < text.length; at++) number = (number * 31 + text.charCodeAt(at)) | 0
  return number
}
