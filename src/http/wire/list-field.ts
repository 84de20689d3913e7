/** Real clients list fewer elements. The rest is not read. */
const maxElements = 64

/** Splits the value of a field at its commas, except those within quotes. */
export const splitList = (field: string): string[] => {
  if (!field.includes('"')) return field.split(',', maxElements)
  const elements = field.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)
  return [...elements.take(maxElements)].map(([element]) => element)
}
