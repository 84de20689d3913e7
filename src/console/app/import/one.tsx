import { useState } from 'preact/hooks'
import { failureOf } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { ColumnChoices } from './columns.tsx'
import {
  type Choice,
  changeImport,
  chosenIn,
  doImport,
  type Import,
  importableAs,
  type KnownImport,
  readImport,
} from './imports.ts'
import { nameOf, stateOf } from './page.tsx'
import { Passwords } from './passwords.tsx'
import { Rows } from './rows.tsx'
import { useImportWords } from './words.ts'

const moving: readonly string[] = ['reading', 'applying', 'undoing']

/** The page of one import: columns, preview, progress, result, undo. */
export const ImportOne = ({ id }: { id: string }) => {
  const { pages } = useWords()
  const words = useImportWords()
  const {
    value: known,
    failure,
    reload,
    show,
  } = useLoad(`import ${id}`, (options, before?: KnownImport) => readImport(id, options, before), {
    everyMs: 1_000,
  })
  /** Increases with each change made on this page, so that the rows are loaded again. */
  const [turn, setTurn] = useState(0)
  const above = { title: pages.import, href: hrefTo('import') }
  if (!known)
    return (
      <Page title={undefined} above={above}>
        {failure && <Failed failure={failure} onRetry={reload} />}
      </Page>
    )
  const one = known.value
  const doing = async (work: () => Promise<KnownImport>) => {
    try {
      const next = await work()
      show(() => next)
    } catch (error) {
      notifyFailure(words.failed, failureOf(error))
      reload()
    }
    setTurn((now) => now + 1)
  }
  const choose = (choice: Choice) => {
    show((now) => ({ ...now, value: chosenIn(now.value, choice) }))
    return doing(() => changeImport(id, choice))
  }
  const subtitle = `${words.states[stateOf(one)]} · ${words.by(one.createdBy, formatAgo(one.createdAt))}`
  return (
    <Page title={nameOf(one)} subtitle={subtitle} above={above}>
      <Progress one={one} />
      {one.reason !== null && (
        <p class="failure" role="alert">
          {isolated(one.reason)}
        </p>
      )}
      {['reading', 'ready', 'stopped', 'failed'].includes(one.state) && (
        <ColumnChoices one={one} onChange={choose} />
      )}
      <Actions known={known} onDo={(action) => doing(() => doImport(known, action))} />
      {one.options.passwords === 'generate' && !moving.includes(one.state) && <Passwords one={one} />}
      {one.state !== 'reading' && one.state !== 'failed' && !one.open.includes('columns') && (
        <Rows one={one} turn={`${turn} ${one.state}`} onCorrected={() => setTurn((now) => now + 1)} />
      )}
    </Page>
  )
}

const Progress = ({ one }: { one: Import }) => {
  const words = useImportWords()
  const { counts, state } = one
  if (!moving.includes(state)) return null
  const total = counts.new + counts.changed
  const text = state === 'reading' ? words.read(counts.rows) : words.progress(counts.applied, total)
  return (
    <div class="sheet sheet-padded import-part stack">
      <p role="status">{text}</p>
      <progress
        class="progress"
        aria-label={words.states[stateOf(one)]}
        {...(state === 'reading' ? {} : { value: counts.applied, max: total })}
      />
    </div>
  )
}

interface ActionsParts {
  readonly known: KnownImport
  readonly onDo: (action: 'apply' | 'stop' | 'undo') => void
}

const Actions = ({ known: { value }, onDo }: ActionsParts) => {
  const words = useImportWords()
  const { ask, question } = useQuestion()
  const { state, counts, open, resource } = value
  const [added, changed] = [counts.new, counts.changed]
  const left = added + changed - counts.applied
  const isReady = state === 'ready' || state === 'stopped'
  const undo = () =>
    ask({
      title: words.undoTitle,
      text: words.undoText(counts.applied),
      yes: words.undo,
      onYes: () => onDo('undo'),
    })
  const found = importableAs(resource)
  return (
    <div class="actions import-actions">
      {isReady && open.length === 0 && left > 0 && (
        <Button
          text={counts.applied > 0 ? words.resume : words.apply(added, changed)}
          kind="primary"
          onClick={() => onDo('apply')}
        />
      )}
      {isReady && open.length === 0 && left === 0 && counts.applied === 0 && <p>{words.nothingToDo}</p>}
      {state === 'applying' && <Button text={words.stop} onClick={() => onDo('stop')} />}
      {found && (state === 'done' || state === 'undone') && (
        <Button text={words.see(found.title)} kind="primary" href={hrefTo(found.plural)} />
      )}
      {state === 'done' && value.options.passwords === 'none' && found?.plural === 'members' && (
        <Button text={words.invite} href={hrefTo('members', { withoutPassword: 'true' })} />
      )}
      {(state === 'done' || state === 'stopped') && counts.applied > 0 && (
        <Button text={words.undo} onClick={undo} />
      )}
      {!moving.includes(state) && <Button text={words.another} kind="quiet" href={hrefTo('import')} />}
      {question}
    </div>
  )
}
