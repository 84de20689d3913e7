import type { Version } from '#client/records.ts'
import { valueAt } from '#core/csv.ts'
import { inSentence } from '#resources/machine/labels.ts'
import { jsonLine, print, visible } from './output.ts'
import type { ResourceTools } from './records.ts'
import type { FlagByField } from './remote.ts'
import { apiAction, type JsonFlag } from './service.ts'

/** Shows each change of one record, with old and new values. */
export const historyCommand = ({ one, selector, showing, recordsOf }: ResourceTools) =>
  apiAction(
    selector.argument(
      showing('history', `Show who changed ${one}, when, and the old and new values, newest first.`),
    ),
    async (service, given: string | undefined, options: FlagByField & JsonFlag) => {
      const id = await selector.idOf(service, given, options)
      let newer: Version<object> | undefined
      for await (const version of recordsOf(service).history(id)) {
        if (options.json) await print(jsonLine(version))
        else if (newer) await print(linesOf(newer, version.value))
        newer = version
      }
      if (newer && !options.json) await print(linesOf(newer, null))
    },
    'reads',
  )

/** A change and, below it, what it changed. `before` is null if the values before are not kept. */
const linesOf = ({ change, value, altered = [] }: Version<object>, before: object | null) => {
  const { time, type, data } = change
  const deed = inSentence(type.split('.')[1] ?? type)
  const fields = data.changed.map((field) => {
    const [old, now] = [before, value].map((one) => (one ? valueAt(one, field) : undefined))
    return [field, old, now] as const
  })
  const said = fields.filter(([, old, now]) => old !== undefined || now !== null)
  const all = [...said, ...altered.map(({ field, from, to }) => [field, from, to] as const)]
  return [`${time}  ${deed} by ${data.by}, version ${data.version}`, ...all.map(lineOf)]
    .map(visible)
    .join('\n')
}

const lineOf = ([field, old, now]: readonly [field: string, old: unknown, now: unknown]) => {
  if (now === undefined) return `  ${field}`
  return `  ${field}: ${old === undefined ? '' : `${old ?? '–'} → `}${now ?? '–'}`
}
