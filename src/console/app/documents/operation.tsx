import { useState } from 'preact/hooks'
import { type ApiDocument, type ApiResponse, type Content, type Placed, resolved, textOf } from './api.ts'
import { Code, Entries, Paragraphs, Said, TypeText } from './prose.tsx'
import { clientCall, curl, type Draft, hasCollection, typescript } from './snippets.ts'
import { titleOf } from './titles.ts'
import { Trying } from './trying.tsx'
import { useDocumentWords } from './words.ts'

/** What somebody filled in: by place and name, such as `query size`. */
export type Filled = Readonly<Record<string, string>>

/** One operation: what it takes and gives, how it is called, and a form that calls it. */
export const OperationSection = ({ api, placed }: { api: ApiDocument; placed: Placed }) => {
  const { path, method, operation, parameters } = placed
  const words = useDocumentWords()
  const { title, lang } = titleOf(placed)
  const content = operation.requestBody?.content ?? {}
  const [filled, setFilled] = useState<Filled>({})
  const [body, setBody] = useState(() => textOf(Object.values(content)[0] ?? {}))
  const draft = draftOf(api, placed, filled, body)
  const outside = parameters.filter((one) => one.in !== 'header')
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
        {outside.length > 0 && <h4 class="faint">{words.parameters}</h4>}
        <Entries
          entries={outside.map(({ name, in: where, required, schema, description }) => ({
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
              response={resolved(node, api.components.responses)}
              codes={operation['x-error-codes'] ?? []}
            />
          ))}
        </dl>
      </div>
      <div class="stack">
        <Code title="curl" label={`curl: ${title}`} text={curl(draft, location.origin)} />
        {hasCollection(operation.tags[0]) && (
          <Code
            title="TypeScript"
            label={`TypeScript: ${title}`}
            text={typescript(calledOf(placed, draft, filled), location.origin)}
          />
        )}
        <Example placed={placed} />
        <Trying {...{ placed, draft, filled, setFilled, body, setBody, content }} />
      </div>
    </section>
  )
}

export const Method = ({ name }: { name: string }) => <span class={`method method-${name}`}>{name}</span>

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

const Example = ({ placed }: { placed: Placed }) => {
  const words = useDocumentWords()
  const [success] = Object.values(placed.operation.responses) as readonly ApiResponse[]
  const media = success?.content?.['application/json']
  if (media?.example === undefined) return null
  return (
    <Code title={words.answer} label={`${words.answer}: ${titleOf(placed).title}`} text={textOf(media)} />
  )
}

interface AnswerParts {
  readonly status: string
  readonly response: ApiResponse
  /** Those that the operation refuses with. */
  readonly codes: readonly string[]
}

const Answer = ({ status, response, codes }: AnswerParts) => {
  const words = useDocumentWords()
  const all = response['x-error-codes']
  const shown = status === 'default' ? all : all?.filter((code) => codes.includes(code))
  const schema = response.content?.['application/json']?.schema
  return (
    <div>
      <dt>{status === 'default' ? words.earlier : status}</dt>
      <dd>
        {shown ? (
          shown.map((code) => (
            <p key={code}>
              <a href={`#/docs/errors/${code}`}>{code}</a> <Said text={saidOf(response, code)} />
            </p>
          ))
        ) : (
          <p>
            <Said text={response.description} /> {schema && <TypeText schema={schema} />}
          </p>
        )}
      </dd>
    </div>
  )
}

/** The description of a refusal has a line for each code. */
const saidOf = ({ description }: ApiResponse, code: string) =>
  description
    .split('\n\n')
    .find((line) => line.startsWith(`\`${code}\``))
    ?.slice(code.length + 3) ?? ''

const draftOf = (
  api: ApiDocument,
  { path, method, operation, parameters }: Placed,
  filled: Filled,
  body: string,
): Draft => {
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && filled[`${place} ${one.name}`])
        .map(({ name }) => [name, filled[`${place} ${name}`] ?? '']),
    )
  const type = filled['header Content-Type'] ?? Object.keys(operation.requestBody?.content ?? {})[0]
  return {
    method,
    path:
      (api.servers[0] ? new URL(api.servers[0].url, location.href).pathname : '') +
      path.replaceAll(/\{(\w+)\}/g, (whole, name) =>
        filled[`path ${name}`] ? encodeURIComponent(filled[`path ${name}`] ?? '') : whole,
      ),
    query: valuesIn('query'),
    headers: {
      ...(filled['header Accept'] && { Accept: filled['header Accept'] }),
      ...(type && { 'Content-Type': type }),
      ...valuesIn('header'),
    },
    body: body || undefined,
  }
}

const calledOf = ({ operation, parameters }: Placed, { query, headers, body }: Draft, filled: Filled) => {
  const isJson = headers['Content-Type']?.includes('json') ?? true
  const id = parameters.find((one) => one.in === 'path')?.name
  return {
    ...clientCall(operation.operationId, operation.tags[0] ?? ''),
    id: id && (filled[`path ${id}`] || id),
    query,
    body: isJson ? body : textOf(operation.requestBody?.content['application/json'] ?? {}),
  }
}
