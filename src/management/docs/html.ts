/** Text that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Html[]

/** HTML whose parts are escaped unless they are HTML themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]) =>
  new Html(
    strings.map((text, index) => text + (index < parts.length ? textOf(parts[index] ?? '') : '')).join(''),
  )

/** Text between backticks is code. */
export const prose = (text: string) => new Html(escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'))

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text
  return Array.isArray(part) ? part.map(textOf).join('') : escaped(String(part))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
