import { useState } from 'preact/hooks'
import {
  type ApiDocument,
  type ApiResponse,
  type Content,
  type Endpoint,
  exampleText,
  resolveReference,
} from './api.ts'
import { Code, Entries, Paragraphs, SpecText, TypeText } from './prose.tsx'
import { curl, isInClient, parseRequest, typescript } from './snippets.ts'
import { titleOf } from './titles.ts'
import { TryIt } from './try-it.tsx'
import { useDocumentWords } from './words.ts'

/** One operation: its parameters, body and responses, examples of calls, and a form that sends a request. */
export const OperationSection = ({ api, endpoint }: { api: ApiDocument; endpoint: Endpoint }) => {
  const { path, method, operation, parameters } = endpoint
  const words = useDocumentWords()
  const { title, lang } = titleOf(endpoint)
  const content = operation.requestBody?.content ?? {}
  const base = api.servers[0] ? new URL(api.servers[0].url, location.href).pathname : ''
  const [text, setText] = useState(() => exampleRequest(base, endpoint))
  const request = parseRequest(text)
  const scopes = [...new Set((operation.security ?? []).flatMap(({ oauth = [] }) => oauth))]
  return (
    <section class="sheet sheet-padded operation" id={operation.operationId} aria-label={title}>
      <div class="operation-text stack">
        <h3 lang={lang} tabIndex={-1}>
          {title}
        </h3>
        <p>
          <Method name={method} /> <code>{(api.servers[0]?.url ?? '') + path}</code>
        </p>
        <Paragraphs text={operation.description} />
        {scopes.length > 0 && (
          <p class="faint">
            {words.scope} <code>{scopes.join(words.or)}</code>
          </p>
        )}
        {parameters.length > 0 && <h4 class="faint">{words.parameters}</h4>}
        <Entries
          entries={parameters.map(({ name, in: where, required, schema, description }) => ({
            name,
            note: `${words.places[where]}${required ? `, ${words.required}` : ''}`,
            schema,
            text: description,
          }))}
        />
        {operation.requestBody && <Body content={content} />}
        <h4 class="faint">{words.answers}</h4>
        <dl class="entries">
          {Object.entries(operation.responses).map(([status, node]) => (
            <Answer
              key={status}
              status={status}
              response={resolveReference(node, api.components.responses)}
              codes={operation['x-error-codes'] ?? []}
            />
          ))}
        </dl>
      </div>
      <div class="stack">
        <Code title="curl" label={`curl: ${title}`} text={curl(request, location.origin)} />
        {isInClient(operation) && (
          <Code
            title="TypeScript"
            label={`TypeScript: ${title}`}
            text={typescript(endpoint, request, location.origin)}
          />
        )}
        <Example endpoint={endpoint} />
        <TryIt summary={title} text={text} onType={setText} />
      </div>
    </section>
  )
}

export const Method = ({ name }: { name: string }) => (
  <span class={`method ${methodColors[name] ?? 'blue'}`}>{name}</span>
)

const methodColors: Readonly<Record<string, string>> = {
  GET: 'well',
  PUT: 'warning',
  PATCH: 'warning',
  DELETE: 'wrong',
}

const Body = ({ content }: { content: Content }) => {
  const words = useDocumentWords()
  return (
    <>
      <h4 class="faint">{words.body}</h4>
      {Object.entries(content).map(([type, { schema }]) => (
        <p key={type}>
          <code>{type}</code> <TypeText schema={schema} />
        </p>
      ))}
    </>
  )
}

const Example = ({ endpoint }: { endpoint: Endpoint }) => {
  const words = useDocumentWords()
  const [success] = Object.values(endpoint.operation.responses) as readonly ApiResponse[]
  const media = success?.content?.['application/json']
  if (media?.example === undefined) return null
  return (
    <Code
      title={words.answer}
      label={`${words.answer}: ${titleOf(endpoint).title}`}
      text={exampleText(media)}
    />
  )
}

interface AnswerProps {
  readonly status: string
  readonly response: ApiResponse
  /** The codes with which the operation may be refused. */
  readonly codes: readonly string[]
}

const Answer = ({ status, response, codes }: AnswerProps) => {
  const words = useDocumentWords()
  const allCodes = response['x-error-codes']
  const shownCodes = status === 'default' ? allCodes : allCodes?.filter((code) => codes.includes(code))
  const schema = response.content?.['application/json']?.schema
  return (
    <div>
      <dt>{status === 'default' ? words.beforeOperation : status}</dt>
      <dd>
        {shownCodes ? (
          shownCodes.map((code) => (
            <p key={code}>
              <a href={`#/docs/errors/${code}`}>{code}</a> <SpecText text={descriptionOf(response, code)} />
            </p>
          ))
        ) : (
          <p>
            <SpecText text={response.description} /> {schema && <TypeText schema={schema} />}
          </p>
        )}
      </dd>
    </div>
  )
}

/** The line for this code in the description of a refusal. */
const descriptionOf = ({ description }: ApiResponse, code: string) =>
  description
    .split('\n\n')
    .find((line) => line.startsWith(`\`${code}\``))
    ?.slice(code.length + 3) ?? ''

/** The request of an operation with the example of its body, as text that can be edited. */
const exampleRequest = (base: string, { path, method, operation }: Endpoint): string => {
  const [content] = Object.entries(operation.requestBody?.content ?? {})
  const fields = content ? [`Content-Type: ${content[0]}`] : []
  const body = content ? ['', exampleText(content[1])] : []
  return [`${method} ${base}${path}`, ...fields, ...body].join('\n')
}
