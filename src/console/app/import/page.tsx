import { useEffect, useState } from 'preact/hooks'
import type { Import } from '#client/index.ts'
import { addedResources } from '#console/app/api/declared.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { saveCsv } from '#console/app/export/saving.ts'
import { useAuthor } from '#console/app/history/line.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { go, hrefTo } from '#console/app/state/route.ts'
import { isRunning, trackImport } from '#console/app/state/running-imports.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { SegmentsField } from '#console/app/ui/segments.tsx'
import { formatAgo, useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { ImportDetail } from './detail.tsx'
import { Drop } from './drop.tsx'
import { type Importable, importables, nameOf, readRecentImports, stateOf, upload } from './imports.ts'
import { importWords } from './words.ts'

export const ImportPage = ({ path: [id] }: { path: readonly string[] }) =>
  id === undefined ? <StartImport /> : <ImportDetail key={id} id={id} />

/** Chooses a resource and a file. */
const StartImport = () => {
  const { pages } = useWords()
  const words = importWords()
  useStore(addedResources)
  const resources = importables()
  const [plural, setPlural] = useState('members')
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<ReturnType<typeof failureOf>>()
  const resource = resources.find((one) => one.plural === plural) ?? resources[0]
  const send = async ([file, ...others]: readonly File[]) => {
    if (!file || !resource || isSending) return
    setFailure(others.length > 0 ? failureOf(new Error(words.several)) : undefined)
    if (others.length > 0) return
    setSending(true)
    try {
      go(`import/${(await upload(resource.plural, file, { name: file.name })).value.importId}`)
    } catch (error) {
      setFailure(failureOf(error))
    }
    setSending(false)
  }
  return (
    <Page title={pages.import} subtitle={words.subtitle}>
      <SegmentsField
        label={words.contains}
        segments={resources.map((one) => ({ value: one.plural, label: one.title }))}
        value={resource?.plural ?? ''}
        onChoose={setPlural}
      />
      <Drop isSending={isSending} onFiles={send} />
      {failure && <Failed failure={failure} />}
      {resource && <Template importable={resource} />}
      <Recent />
    </Page>
  )
}

const Template = ({ importable: { plural, fields } }: { importable: Importable }) => {
  const words = importWords()
  const columns = fields.filter(({ kind }) => kind !== 'id').map(({ label }) => label)
  return (
    <section class="sheet sheet-padded columns stack">
      <p>{columns.join(words.comma)}</p>
      <div class="actions">
        <Button
          text={words.template}
          kind="small"
          onClick={() => saveCsv(`rollcall-${plural}.csv`, [columns])}
        />
      </div>
    </section>
  )
}

const Origin = ({ job }: { job: Import }) => (
  <span class="faint">{importWords().by(useAuthor(job.createdBy), formatAgo(job.createdAt))}</span>
)

const Recent = () => {
  const words = importWords()
  const { value } = useLoad('imports', readRecentImports, { pollMs: 5_000 })
  useEffect(() => value?.value.content.filter(isRunning).forEach(trackImport), [value])
  if (!value || value.value.content.length === 0) return null
  return (
    <section class="sheet sheet-padded import-part stack">
      <h2>{words.recent}</h2>
      <ul class="import-recent">
        {value.value.content.map((one) => (
          <li key={one.importId}>
            <a href={hrefTo(`import/${one.importId}`)}>{isolate(nameOf(one))}</a> {words.states[stateOf(one)]}{' '}
            <Origin job={one} />
          </li>
        ))}
      </ul>
    </section>
  )
}
