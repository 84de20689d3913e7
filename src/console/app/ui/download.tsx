import { useEffect, useRef, useState } from 'preact/hooks'
import { failureOf, isAborted } from '#console/app/api/failure.ts'
import { complain, say } from '#console/app/state/notes.ts'
import { formatNumber } from '#console/app/words/format.ts'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { cellOf, columnsOf } from '#core/csv.ts'
import { Icon } from './icon.tsx'
import { saveCsv } from './save-csv.ts'

interface DownloadParts {
  readonly what: 'members' | 'todos'
  readonly walk: (signal: AbortSignal) => AsyncGenerator<readonly object[]>
}

/** Saves a list as a CSV file, with the columns that `rollcall export` gives it; pressed again, it stops. */
export const Download = ({ what, walk }: DownloadParts) => {
  const { download: words } = useWords()
  const [done, setDone] = useState<number>()
  const giveUp = useRef<AbortController>(undefined)
  useEffect(() => () => giveUp.current?.abort(), [])
  const begin = async () => {
    const running = new AbortController()
    giveUp.current = running
    try {
      const records: object[] = []
      setDone(0)
      for await (const page of walk(running.signal)) {
        records.push(...page)
        setDone(records.length)
      }
      saveCsv(`rollcall-${what}-${today()}.csv`, tableOf(records))
      say(wordsNow().download.done(records.length))
    } catch (error) {
      const failure = failureOf(error)
      if (!isAborted(failure)) complain(wordsNow().download.failed, failure)
    } finally {
      setDone(undefined)
    }
  }
  const isRunning = done !== undefined
  return (
    <button
      type="button"
      class="button download"
      onClick={() => (isRunning ? giveUp.current?.abort() : void begin())}
    >
      <Icon name={isRunning ? 'close' : 'import'} />
      {isRunning ? words.stop(formatNumber(done)) : words.begin}
    </button>
  )
}

/** All records of a list are shown to the same extent. */
const tableOf = (records: readonly object[]) => {
  const columns = columnsOf(records[0] ?? {})
  return [columns, ...records.map((record) => columns.map((column) => cellOf(record, column)))]
}

/** The day where one is, as files are sorted by it. */
const today = () => new Intl.DateTimeFormat('sv').format()
