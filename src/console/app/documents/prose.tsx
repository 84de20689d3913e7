import type { ComponentChildren } from 'preact'
import { Fragment } from 'preact'
import { nameOf, type Schema } from './api.ts'
import { useDocumentWords } from './words.ts'

/** Renders text between backticks as code. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)

/** Text of the OpenAPI document, which is in English on a page in any language. */
export const SpecText = ({ text }: { text: string }) => (
  <span lang="en">
    <Prose text={text} />
  </span>
)

export const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text.split('\n\n').map((part) => (
      <p key={part} lang="en">
        <Prose text={part} />
      </p>
    ))}
  </>
)

interface CodeProps {
  /** The text above the code. */
  readonly title?: string
  readonly label: string
  readonly text: string
}

export const Code = ({ title, label, text }: CodeProps) => (
  <div>
    {title && <p class="faint">{title}</p>}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide text must be scrollable by keyboard */}
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  </div>
)

const joinNodes = (parts: readonly ComponentChildren[], between: string) =>
  parts.map((part, at) => (
    <Fragment key={at}>
      {at > 0 && between}
      {part}
    </Fragment>
  ))

/** A type in a few words, with links to other types. */
export const TypeText = ({ schema }: { schema: Schema }): ComponentChildren => {
  const words = useDocumentWords()
  const { $ref, anyOf, enum: values, items, format } = schema
  if ($ref) return <a href={`#/docs/${nameOf($ref)}`}>{nameOf($ref)}</a>
  if (anyOf)
    return joinNodes(
      anyOf.map((one) => <TypeText key={one.$ref} schema={one} />),
      words.or,
    )
  if (values && values.length <= 12)
    return joinNodes(
      values.map((one) => <code key={one}>{one}</code>),
      ' ',
    )
  if (items) return [words.list, <TypeText key="items" schema={items} />]
  const type = [schema.type ?? words.text].flat().join(words.or)
  const length = schema.maxLength === undefined ? '' : words.length(schema.minLength ?? 0, schema.maxLength)
  const least = schema.minimum === undefined ? '' : words.least(schema.minimum)
  return type + (format ? ` (${format})` : '') + length + least
}

interface Entry {
  readonly name: string
  readonly note: string | undefined
  readonly schema: Schema
  readonly text: string
}

/** A list of names with their meanings. */
export const Entries = ({ entries }: { entries: readonly Entry[] }) => (
  <dl class="entries">
    {entries.map(({ name, note, schema, text }) => (
      <div key={name}>
        <dt>
          <code>{name}</code> <span class="faint">{note}</span>
        </dt>
        <dd>
          <span class="faint">
            <TypeText schema={schema} />
          </span>
          <p>
            <SpecText text={text} />
          </p>
        </dd>
      </div>
    ))}
  </dl>
)
