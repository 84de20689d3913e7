import { xmlPrologue } from '#http/message/representation/xml-write.ts'
import { inOnePiece } from '#http/wire/one-piece.ts'
import type { Versioned } from './routes.ts'
import type { ListPresentation } from './wrapper.ts'

/**
 * The text of a list, batch by batch; a list of one batch is one text, brackets included. A text that has to wait is
 * flattened: otherwise the garbage collector would stop everything while it visits thousands of pieces. Items after the
 * first batch are not expected to be shown again, so their texts are not kept.
 */
export const listTexts = async function* (
  batches: AsyncIterable<readonly Versioned[]>,
  presentation: ListPresentation,
): AsyncGenerator<string> {
  const { opening, separator, closing } = brackets(presentation)
  let waiting: string | undefined
  let before = opening
  let write = presentation.writer.element
  for await (const batch of batches) {
    if (waiting !== undefined) yield waiting
    waiting = inOnePiece(before + elements(batch, presentation, write))
    before = separator
    write = presentation.writer.oneOffElement
  }
  yield (waiting ?? opening) + closing
}

/** The texts already read, followed by the rest. */
export const ahead = async function* (
  first: readonly string[],
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield* first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

const brackets = ({ form, root }: ListPresentation) =>
  form === 'xml'
    ? { opening: `${xmlPrologue}<${root}>`, separator: '', closing: `</${root}>` }
    : { opening: '[', separator: ',', closing: ']' }

/** Items joined as they appear in a list. */
export const elements = (
  items: readonly Versioned[],
  { writer, schema, form, linkedAs, isChosen, names }: ListPresentation,
  write = writer.element,
): string => {
  const separator = form === 'xml' ? '' : ','
  const linkOf = (item: Versioned) =>
    linkedAs && `${linkedAs}/${(item as Versioned & Record<string, unknown>)[names]}`
  let text = ''
  for (const item of items) {
    if (text !== '') text += separator
    text += write(item, { schema, form, linkedAs: linkOf(item), isChosen })
  }
  return text
}
