import { useLoad } from '#console/app/state/load.ts'
import { locale } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { type ExplainedCode, readErrors } from './api.ts'
import { Prose } from './prose.tsx'
import { useDocumentWords } from './words.ts'

/** All codes, or one of them. */
export const ErrorsPage = ({ code }: { code: string | undefined }) => {
  const words = useDocumentWords()
  const { value, failure, reload } = useLoad('errors', readErrors)
  const above = { title: words.title, href: '#/docs' }
  const title = code === undefined || !value || code in value ? (code ?? words.errors) : words.unknown
  const entries = Object.entries(value ?? {})
  if (code !== undefined)
    return (
      <Page key={code} title={title} above={{ title: words.errors, href: '#/docs/errors' }} isNarrow>
        {failure && <Failed failure={failure} onRetry={reload} />}
        {value && (value[code] ? <Explained one={value[code]} /> : <p>{words.unknownWhy}</p>)}
      </Page>
    )
  return (
    <Page title={title} subtitle={words.errorsIntro} above={above}>
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
            <span class="soft">{one.status}</span> <a href={`#/docs/errors/${code}`}>{code}</a>
          </dt>
          <dd>{one[language][0]}</dd>
        </div>
      ))}
    </dl>
  )
}

const Explained = ({ one }: { one: ExplainedCode }) => {
  const words = useDocumentWords()
  const [message = '', ...lines] = one[useStore(locale)]
  return (
    <div class="sheet sheet-padded explained">
      <p class="lead">
        {one.status && <span class="soft">{one.status}</span>} {message}
      </p>
      {[words.means, words.why, words.cure].map((heading, at) => (
        <section key={heading}>
          <h2>{heading}</h2>
          <p>
            <Prose text={lines[at] ?? ''} />
          </p>
        </section>
      ))}
      <p class="soft">{words.quote}</p>
    </div>
  )
}
