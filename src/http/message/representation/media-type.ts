export interface MediaType {
  /** In lower case, such as `application/json`. `text/xml` is read as `application/xml`. */
  readonly type: string
  /** The values, without quotes, by their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
  /** In lower case. The common mistake `utf8` counts as `utf-8`. */
  readonly charset: string | undefined
}

const typeShape = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/
const parameterShape =
  /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*)"))?/y

/** Parses a media type by RFC 9110. Undefined if the text is malformed, or if a parameter occurs twice. */
export const parseMediaType = (field: string): MediaType | undefined => {
  const text = field.trim()
  const [type] = typeShape.exec(text) ?? []
  const parameters = type === undefined ? undefined : readParameters(text, type.length)
  if (type === undefined || !parameters) return undefined
  const named = type.toLowerCase()
  const charset = parameters.get('charset')?.toLowerCase()
  return {
    type: named === 'text/xml' ? 'application/xml' : named,
    parameters,
    charset: charset === 'utf8' ? 'utf-8' : charset,
  }
}

const readParameters = (text: string, start: number): Map<string, string> | undefined => {
  const parameters = new Map<string, string>()
  let at = start
  while (at < text.length) {
    parameterShape.lastIndex = at
    const found = parameterShape.exec(text)
    if (!found) return undefined
    at += found[0].length
    const [, name, token, quoted = ''] = found
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1'))
  }
  return parameters
}
