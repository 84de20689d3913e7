/** JSON as YAML that people like to read: blocks for collections, and quotes around a text wherever it could be read as something else. */
export const toYaml = (value: unknown): string => `${block(value, '').trimStart()}\n`

const block = (value: unknown, indent: string): string => {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `\n${indent}- ${block(item, `${indent}  `).trimStart()}`).join('')
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    return Object.entries(value)
      .map(([name, field]) => `\n${indent}${scalar(name)}:${spaced(block(field, `${indent}  `))}`)
      .join('')
  }
  return typeof value === 'string' ? scalar(value) : JSON.stringify(value)
}

const spaced = (text: string) => (text.startsWith('\n') ? text : ` ${text}`)

/** Begins with a letter or a path's slash, has no character with a meaning in YAML, and is not a word of another type. */
const plain = /^[A-Za-z/](?:[\w /.{}$-]*[\w/}])?$/
const reserved = /^(?:true|false|yes|no|on|off|y|n|null)$/i

const scalar = (text: string) => (plain.test(text) && !reserved.test(text) ? text : JSON.stringify(text))
