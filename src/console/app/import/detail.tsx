import { useRef, useState } from 'preact/hooks'
import { failureOf, isConflict } from '#console/app/api/failure.ts'
import { useAuthor } from '#console/app/history/line.tsx'
import { notifyFailure } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { isRunning } from '#console/app/state/running-imports.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { useTitleFocusOnUnmount } from '#console/app/ui/focus.ts'
import { Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { formatAgo, useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { ColumnChoices } from './columns.tsx'
import {
  bulkChangeOf,
  type Choice,
  type Correction,
  changeImport,
  correctRow,
  importableNamed,
  nameOf,
  plannedCount,
  readImport,
  runImportAction,
  type VersionedImport,
  withChoice,
} from './imports.ts'
import { Passwords } from './passwords.tsx'
import { ProgressBar, progressText, stateText, useImport } from './progress.tsx'
import { Rows } from './rows.tsx'
import { importWords } from './words.ts'

/** The page of one import: columns, preview, progress, result, undo. */
export const ImportDetail = ({ id }: { id: string }) => {
  const { pages, bulk } = useWords()
  const words = importWords()
  /** The number of changes made on this page that have no answer yet. */
  const pendingChanges = useRef(0)
  const [isChanging, setChanging] = useState(false)
  const { value: loaded, failure, reload, show } = useImport(id, () => pendingChanges.current > 0)
  /** Counts the changes made on this page, because each makes the rows load again. */
  const [changeCount, setChangeCount] = useState(0)
  /** Once the rows were validated, they and the input in them stay visible while they are validated again. */
  const wasValidated = useRef(false)
  const parent = { title: pages.import, href: hrefTo('import') }
  const author = useAuthor(loaded?.value.createdBy ?? '')
  if (!loaded)
    return (
      <Page title={failure && pages.import} parent={parent}>
        {failure && <Failed failure={failure} onRetry={reload} />}
      </Page>
    )
  const job = loaded.value
  wasValidated.current ||= job.state !== 'reading'
  const change = async (work: () => Promise<VersionedImport>, failedText = words.failed) => {
    pendingChanges.current += 1
    setChanging(true)
    try {
      const next = await work()
      // The answer to an earlier change does not contain a later change.
      if (pendingChanges.current === 1) show(() => next)
    } catch (error) {
      const failure = failureOf(error)
      notifyFailure(failedText, failure, isConflict(failure) ? bulk.changed : undefined)
      reload()
    } finally {
      pendingChanges.current -= 1
      setChanging(pendingChanges.current > 0)
    }
    setChangeCount((now) => now + 1)
  }
  const choose = (choice: Choice) => {
    show((now) => ({ ...now, value: withChoice(now.value, choice) }))
    return change(() => changeImport(id, choice))
  }
  // A correction makes a new version of the import, but its answer contains only the row.
  const correct = (correction: Correction) =>
    change(async () => {
      await correctRow(id, correction)
      return readImport(id)
    }, words.notCorrected)
  // All rows may be validated again between two reads of the import. Then only its version shows that they were.
  const validation = isRunning(job) ? job.state : loaded.etag
  const subtitle = `${stateText(job, words)} · ${words.by(author, formatAgo(job.createdAt))}`
  return (
    <Page title={nameOf(job)} subtitle={subtitle} parent={parent}>
      {isRunning(job) && (
        <div class="sheet sheet-padded import-part stack">
          <p role="status">{progressText(job, words)}</p>
          <ProgressBar job={job} />
        </div>
      )}
      {job.reason !== null && (
        <p class="failure" role="alert">
          {isolate(job.reason)}
        </p>
      )}
      {['reading', 'ready', 'stopped', 'failed'].includes(job.state) && (
        <ColumnChoices job={job} onChange={choose} />
      )}
      <Actions
        loaded={loaded}
        isLocked={isChanging}
        onDo={(action) => change(() => runImportAction(loaded, action))}
      />
      {job.options.passwords === 'generate' && !isRunning(job) && <Passwords job={job} />}
      {wasValidated.current && job.state !== 'failed' && !job.open.includes('columns') && (
        <Rows job={job} reloadKey={`${changeCount} ${validation}`} onCorrect={correct} />
      )}
    </Page>
  )
}

interface ActionsProps {
  readonly loaded: VersionedImport
  /** Locked until the page shows the version that the latest change made, because an action runs only on the newest version. */
  readonly isLocked: boolean
  readonly onDo: (action: 'apply' | 'stop' | 'undo') => void
}

const Actions = ({ loaded: { value }, isLocked, onDo }: ActionsProps) => {
  const words = importWords()
  const { undo: undoText } = useWords()
  const { ask, question } = useQuestion()
  const { state, counts, open, resource } = value
  const isBulk = bulkChangeOf(value) !== undefined
  const remaining = plannedCount(value) - counts.applied
  const isReady = state === 'ready' || state === 'stopped'
  const isUndoable = (isReady || state === 'done') && counts.applied > 0
  const undo = () =>
    ask({
      title: isBulk ? words.undoChangeTitle : words.undoTitle,
      text: words.undoText(counts.applied),
      yes: isBulk ? undoText : words.undo,
      onYes: () => onDo('undo'),
    })
  const importable = importableNamed(resource)
  return (
    <div class="actions import-actions">
      {isReady && open.length === 0 && remaining > 0 && (
        <Action
          text={counts.applied > 0 ? words.resume : words.apply(counts)}
          kind="primary"
          isLocked={isLocked}
          onClick={() => onDo('apply')}
        />
      )}
      {isReady && open.length === 0 && remaining === 0 && counts.applied === 0 && <p>{words.nothingToDo}</p>}
      {state === 'applying' && <Action text={words.stop} isLocked={isLocked} onClick={() => onDo('stop')} />}
      {importable && (state === 'done' || state === 'undone') && (
        <Button text={words.see(importable.title)} kind="primary" href={hrefTo(importable.plural)} />
      )}
      {state === 'done' && value.options.passwords === 'none' && importable?.plural === 'members' && (
        <Button text={words.invite} href={hrefTo('members', { withoutPassword: 'true' })} />
      )}
      {isUndoable && <Action text={isBulk ? undoText : words.undo} isLocked={isLocked} onClick={undo} />}
      {!isRunning(value) && !isBulk && (
        <Button text={words.anotherFile} kind="quiet" href={hrefTo('import')} />
      )}
      {question}
    </div>
  )
}

/** A button that goes away once its action has begun. The focus then moves to the page title. */
const Action = (props: Parameters<typeof Button>[0]) => {
  const element = useTitleFocusOnUnmount()
  return (
    <div ref={element}>
      <Button {...props} />
    </div>
  )
}
