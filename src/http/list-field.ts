/** Nobody lists more than this; whatever follows is not read. */
const mostElements = 64

/** Splits the value of a field at its commas, except those within quotes. */
export const splitList = (field: string): string[] => {
  if (!field.includes('"')) return field.split(',', mostElements)
  const elements = field.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)
  return [...elements.take(mostElements)].map(([element]) => element)
}
