import { useEffect, useState } from 'preact/hooks'
import { useLoad } from '#console/app/state/load.ts'
import { locale } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty, Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Search } from '#console/app/ui/search.tsx'
import {
  type ApiDocument,
  type Endpoint,
  type ExplainedCode,
  operationsOf,
  readDocument,
  readErrors,
  type Schema,
} from './api.ts'
import { Method, OperationSection } from './operation.tsx'
import { Entries, Paragraphs, Prose, TypeText } from './prose.tsx'
import { headingOf, titleOf } from './titles.ts'
import { useDocumentWords } from './words.ts'

/** The documents of the API: the reference, or the meaning of the codes. */
export const DocumentsPage = ({ path: [anchor, code] }: { path: readonly string[] }) =>
  anchor === 'errors' ? <ErrorsPage key={code} code={code} /> : <Reference anchor={anchor} />

/** Every operation and type of the OpenAPI document. The page scrolls to the one with the id `anchor`. */
const Reference = ({ anchor }: { anchor: string | undefined }) => {
  const words = useDocumentWords()
  const { value: api, failure, reload } = useLoad('document', readDocument)
  const [text, setText] = useState('')
  const isLoaded = api !== undefined
  useEffect(() => {
    if (isLoaded && anchor) document.getElementById(anchor)?.scrollIntoView()
  }, [anchor, isLoaded])
  return (
    <Page
      title={words.title}
      subtitle={api && <span lang="en">{`${api.info.title} ${api.info.version}`}</span>}
      actions={
        <>
          <Button text={words.errors} href="#/docs/errors" />
          <Button text="openapi.json" href="/api/v1/openapi.json" />
        </>
      }
    >
      {failure && <Failed failure={failure} onRetry={reload} />}
      <Search text={text} label={words.find} maxLength={100} onSearch={setText} />
      {api && <SearchResults api={api} text={text} />}
    </Page>
  )
}

const SearchResults = ({ api, text }: { api: ApiDocument; text: string }) => {
  const words = useDocumentWords()
  const has = (...values: readonly unknown[]) =>
    JSON.stringify(values).toLowerCase().includes(text.toLowerCase())
  const operations = operationsOf(api).filter(({ method, path, operation }) =>
    has(
      method,
      path,
      operation.operationId,
      operation.summary,
      titleOf({ method, path, operation, parameters: [] }).title,
      operation.description,
      operation['x-error-codes'],
    ),
  )
  const schemas = Object.entries(api.components.schemas).filter(([name, schema]) =>
    has(name, Object.keys(schema.properties ?? {}), schema.enum),
  )
  if (operations.length + schemas.length === 0) return <Empty icon="search" text={words.nothing(text)} />
  return (
    <>
      {text === '' && (
        <div class="documents-intro stack">
          {words.english && <p>{words.english}</p>}
          <Paragraphs text={api.info.description} />
        </div>
      )}
      <Contents operations={operations} />
      {api.tags.map(({ name, description }) => {
        const tagged = operations.filter(({ operation }) => operation.tags.includes(name))
        if (tagged.length === 0) return null
        return (
          <section key={name} class="page">
            <Heading tag={name} />
            <Paragraphs text={description} />
            {tagged.map((endpoint) => (
              <OperationSection key={endpoint.operation.operationId} api={api} endpoint={endpoint} />
            ))}
          </section>
        )
      })}
      {schemas.length > 0 && <h2>{words.schemas}</h2>}
      {schemas.map(([name, schema]) => (
        <SchemaSection key={name} name={name} schema={schema} />
      ))}
    </>
  )
}

const Heading = ({ tag }: { tag: string }) => {
  const { title, lang } = headingOf(tag)
  return <h2 lang={lang}>{title}</h2>
}

const Contents = ({ operations }: { operations: readonly Endpoint[] }) => (
  <nav class="sheet documents-contents" aria-label={useDocumentWords().contents}>
    {operations.map((endpoint) => (
      <a
        key={endpoint.operation.operationId}
        href={`#/docs/${endpoint.operation.operationId}`}
        lang={titleOf(endpoint).lang}
      >
        <Method name={endpoint.method} /> {titleOf(endpoint).title}
      </a>
    ))}
  </nav>
)

const SchemaSection = ({ name, schema }: { name: string; schema: Schema }) => {
  const words = useDocumentWords()
  const { properties, required = [], description = '' } = schema
  return (
    <section class="sheet sheet-padded operation-text stack" id={name} aria-label={name}>
      <h3>{name}</h3>
      <Paragraphs text={description} />
      {properties ? (
        <Entries
          entries={Object.entries(properties).map(([field, one]) => ({
            name: field,
            note: required.includes(field) ? undefined : words.optional,
            schema: one,
            text: one.description ?? '',
          }))}
        />
      ) : (
        <p>
          <TypeText schema={schema} />
        </p>
      )}
    </section>
  )
}

/** The list of all error codes, or the explanation of one. */
const ErrorsPage = ({ code }: { code: string | undefined }) => {
  const words = useDocumentWords()
  const { value, failure, reload } = useLoad('errors', readErrors)
  const entries = Object.entries(value ?? {})
  if (code !== undefined)
    return (
      <Page
        title={value && !(code in value) ? words.unknown : code}
        parent={{ title: words.errors, href: '#/docs/errors' }}
        isNarrow
      >
        {failure && <Failed failure={failure} onRetry={reload} />}
        {value && (value[code] ? <CodeExplanation explanation={value[code]} /> : <p>{words.unknownWhy}</p>)}
      </Page>
    )
  return (
    <Page title={words.errors} subtitle={words.errorsIntro} parent={{ title: words.title, href: '#/docs' }}>
      {failure && <Failed failure={failure} onRetry={reload} />}
      <h2>{words.refusals}</h2>
      <Codes codes={entries.filter(([, { status }]) => status !== undefined)} />
      <h2>{words.details}</h2>
      <Codes codes={entries.filter(([, { status }]) => status === undefined)} />
    </Page>
  )
}

const Codes = ({ codes }: { codes: readonly (readonly [string, ExplainedCode])[] }) => {
  const language = useStore(locale)
  return (
    <dl class="sheet entries codes">
      {codes.map(([code, one]) => (
        <div key={code}>
          <dt>
            <span class="faint">{one.status}</span> <a href={`#/docs/errors/${code}`}>{code}</a>
          </dt>
          <dd>{one[language][0]}</dd>
        </div>
      ))}
    </dl>
  )
}

const CodeExplanation = ({ explanation }: { explanation: ExplainedCode }) => {
  const words = useDocumentWords()
  const [message = '', ...lines] = explanation[useStore(locale)]
  return (
    <div class="sheet sheet-padded explained page">
      <p class="lead">
        {explanation.status && <span class="faint">{explanation.status}</span>} {message}
      </p>
      {[words.means, words.why, words.cure].map((heading, at) => (
        <section key={heading}>
          <h2>{heading}</h2>
          <p>
            <Prose text={lines[at] ?? ''} />
          </p>
        </section>
      ))}
      <p class="faint">{words.quote}</p>
    </div>
  )
}
