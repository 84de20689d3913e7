import { useState } from 'preact/hooks'
import { ask, callVia } from '#console/app/api/ask.ts'
import { wire } from '#console/app/api/wire.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Field } from '#console/app/ui/text-field.tsx'
import { type Content, type Parameter, type Placed, textOf } from './api.ts'
import type { Filled } from './operation.tsx'
import { Code } from './prose.tsx'
import type { Draft } from './snippets.ts'
import { titleOf } from './titles.ts'
import { useDocumentWords } from './words.ts'

interface TryingParts {
  readonly placed: Placed
  readonly draft: Draft
  readonly filled: Filled
  readonly setFilled: (filled: Filled) => void
  readonly body: string
  readonly setBody: (text: string) => void
  readonly content: Content
}

const accepted = ['application/json', 'application/xml', 'application/problem+json, application/json']

/** A form that sends the request through the client, and shows the complete response. */
export const Trying = ({ placed, draft, filled, setFilled, body, setBody, content }: TryingParts) => {
  const words = useDocumentWords()
  const [isOpen, setOpen] = useState(false)
  const [received, setReceived] = useState<Received>()
  const { send, isSending, failure } = useSending([])
  const { parameters } = placed
  const types = Object.keys(content)
  const fill = (key: string) => (text: string) => setFilled({ ...filled, [key]: text })
  const fields = (place: string) =>
    parameters
      .filter((one) => (one.in === 'header') === (place === 'header'))
      .map((one) => (
        <Input
          key={one.name}
          label={one.name}
          values={valuesOf(one)}
          value={filled[`${one.in} ${one.name}`] ?? ''}
          onFill={fill(`${one.in} ${one.name}`)}
        />
      ))
  const submit = () => send(async () => setReceived(await exchange(draft)))
  if (!isOpen)
    return (
      <p>
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {words.tryIt} <span class="unseen">{titleOf(placed).title}</span>
        </button>
      </p>
    )
  return (
    <Form kind="trying stack" sending={{ isSending }} onSubmit={submit}>
      {fields('')}
      {types.length > 0 && (
        <>
          <Input
            label="Content-Type"
            values={types}
            value={filled['header Content-Type'] ?? types[0] ?? ''}
            onFill={(type) => {
              fill('header Content-Type')(type)
              setBody(textOf(content[type] ?? {}))
            }}
          />
          <Input label={words.body} value={body} onFill={setBody} isLong />
        </>
      )}
      <details>
        <summary>{words.headers}</summary>
        <div class="stack">
          <Input
            label="Accept"
            values={accepted}
            value={filled['header Accept'] ?? accepted[0] ?? ''}
            onFill={fill('header Accept')}
          />
          {fields('header')}
        </div>
      </details>
      <p>
        <Button text={words.send} kind="primary" isSubmit isLocked={isSending} />
      </p>
      {failure ? (
        <Failed failure={failure} />
      ) : (
        <div role="status">{received && <Response received={received} />}</div>
      )}
    </Form>
  )
}

const valuesOf = ({ schema }: Parameter): readonly string[] | undefined => {
  if (schema.type === 'boolean') return ['', 'true', 'false']
  return schema.enum && ['', ...schema.enum]
}

interface InputParts {
  readonly label: string
  readonly value: string
  readonly values?: readonly string[] | undefined
  readonly isLong?: boolean
  readonly onFill: (text: string) => void
}

const Input = ({ label, value, values, isLong, onFill }: InputParts) => (
  <Field label={label} error={undefined}>
    {({ id }) => {
      const parts = { id, class: 'input', value, spellcheck: false, autocomplete: 'off' as const }
      if (values)
        return (
          <select id={id} class="input" value={value} onChange={(event) => onFill(event.currentTarget.value)}>
            {values.map((one) => (
              <option key={one} value={one}>
                {one || '–'}
              </option>
            ))}
          </select>
        )
      if (isLong)
        return <textarea {...parts} rows={8} onInput={(event) => onFill(event.currentTarget.value)} />
      return <input {...parts} onInput={(event) => onFill(event.currentTarget.value)} />
    }}
  </Field>
)

/** A response as it came. */
interface Received {
  readonly line: string
  readonly tookMs: number
  readonly fields: string
  readonly text: string
}

/** The longest part of a body that is shown, in characters: a browser takes seconds to lay out megabytes. */
const shownLength = 100_000

const Response = ({ received }: { received: Received }) => {
  const words = useDocumentWords()
  const { line, tookMs, fields } = received
  const text = pretty(received.text)
  const leftOut = text.length - shownLength
  return (
    <>
      <p>
        <strong>{line}</strong> <span class="faint">{words.took(tookMs)}</span>
      </p>
      <Code label={line} text={`${fields}\n\n${text.slice(0, shownLength)}`} />
      {leftOut > 0 && <p>{words.leftOut(leftOut)}</p>}
    </>
  )
}

const pretty = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The client sends the request; the header fields and the body are those of the form. */
const exchange = async ({ method, path, query, headers, body }: Draft): Promise<Received> => {
  let received: Received | undefined
  const call = callVia(async (input, init) => {
    const startedAtMs = performance.now()
    const response = await wire(input, {
      ...init,
      headers: { ...init?.headers, ...headers },
      body: body ?? null,
    })
    received = await receivedOf(response.clone(), startedAtMs)
    return response
  })
  try {
    await ask(() => call({ method: method as 'GET', path, query }))
  } catch (error) {
    if (!received) throw error
  }
  return received as unknown as Received
}

const receivedOf = async (response: Response, startedAtMs: number): Promise<Received> => ({
  line: `${response.status} ${response.statusText}`,
  text: await response.text(),
  tookMs: Math.round(performance.now() - startedAtMs),
  fields: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
})
