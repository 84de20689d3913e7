import { useState } from 'preact/hooks'
import { callSignedIn, callWith } from '#console/app/api/call.ts'
import { fetchAsUser } from '#console/app/api/fetch.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Field } from '#console/app/ui/fields.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Code } from './prose.tsx'
import { type EditedRequest, parseRequest } from './snippets.ts'
import { useDocumentWords } from './words.ts'

interface TryItProps {
  readonly summary: string
  readonly text: string
  readonly onType: (text: string) => void
}

/** The request as text that can be edited and sent, and the complete response. */
export const TryIt = ({ summary, text, onType }: TryItProps) => {
  const words = useDocumentWords()
  const [isOpen, setOpen] = useState(false)
  const [received, setReceived] = useState<ReceivedResponse>()
  const { send, isSending, failure } = useSending([])
  const submit = () => send(async () => setReceived(await sendRequest(parseRequest(text))))
  if (!isOpen)
    return (
      <p>
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {words.tryIt} <span class="unseen">{summary}</span>
        </button>
      </p>
    )
  return (
    <Form class="trying stack" sending={{ isSending }} onSubmit={submit}>
      <Field label={words.request}>
        {(attached) => (
          <textarea
            {...attached}
            class="input"
            rows={Math.min(20, text.split('\n').length + 1)}
            spellcheck={false}
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => onType(currentTarget.value)}
          />
        )}
      </Field>
      <p>
        <Button text={words.send} kind="primary" isSubmit isLocked={isSending} />
      </p>
      {failure ? (
        <Failed failure={failure} />
      ) : (
        <div role="status">{received && <ResponseView received={received} />}</div>
      )}
    </Form>
  )
}

/** The rest of a body is not shown, because a browser takes seconds to lay out megabytes. */
const maxShownCharacters = 100_000

const ResponseView = ({ received }: { received: ReceivedResponse }) => {
  const words = useDocumentWords()
  const { statusLine, tookMs, fields } = received
  const text = prettyJson(received.text)
  const hiddenCharacters = text.length - maxShownCharacters
  return (
    <>
      <p>
        <strong>{statusLine}</strong> <span class="faint">{words.took(tookMs)}</span>
      </p>
      <Code label={statusLine} text={`${fields}\n\n${text.slice(0, maxShownCharacters)}`} />
      {hiddenCharacters > 0 && <p>{words.leftOut(hiddenCharacters)}</p>}
    </>
  )
}

const prettyJson = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

interface ReceivedResponse {
  readonly statusLine: string
  readonly tookMs: number
  readonly fields: string
  readonly text: string
}

/** Sends the request. If the service requires a sign-in, the user is asked for one. */
const sendRequest = async ({ method, path, headers, body }: EditedRequest): Promise<ReceivedResponse> => {
  let received: ReceivedResponse | undefined
  const call = callWith(async (input, init) => {
    const startedAtMs = performance.now()
    const sent = { ...init, headers: { ...init?.headers, ...headers }, body: body ?? null }
    const response = await fetchAsUser(input, sent)
    received = await toReceivedResponse(response.clone(), startedAtMs)
    return response
  })
  try {
    await callSignedIn(() => call({ method: method as 'GET', path }))
  } catch (error) {
    if (!received) throw error
  }
  return received as unknown as ReceivedResponse
}

const toReceivedResponse = async (response: Response, startedAtMs: number): Promise<ReceivedResponse> => ({
  statusLine: `${response.status} ${response.statusText}`,
  text: await response.text(),
  tookMs: Math.round(performance.now() - startedAtMs),
  fields: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
})
