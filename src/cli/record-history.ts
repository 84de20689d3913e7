import type { Version } from '#client/records.ts'
import { valueAt } from '#core/csv.ts'
import { inSentence } from '#resources/machine/labels.ts'
import { escapeControls, jsonLine, print } from './output.ts'
import type { ResourceTools } from './records.ts'
import type { FlagByField } from './remote.ts'
import { apiAction, type JsonFlag } from './service.ts'

/** Shows each change of one record, with old and new values. */
export const historyCommand = ({ aRecord, selector, jsonCommand, recordsOf }: ResourceTools) =>
  apiAction(
    selector.argument(
      jsonCommand('history', `Show who changed ${aRecord}, when, and the old and new values, newest first.`),
    ),
    async (service, idArgument: string | undefined, options: FlagByField & JsonFlag) => {
      const id = await selector.idOf(service, idArgument, options)
      let newer: Version<object> | undefined
      for await (const version of recordsOf(service).history(id)) {
        if (options.json) await print(jsonLine(version))
        else if (newer) await print(describeVersion(newer, version.value))
        newer = version
      }
      if (newer && !options.json) await print(describeVersion(newer, null))
    },
    'readOnly',
  )

/** A line for the change, and below it a line for each changed field. `before` is null if the log has no earlier version. */
const describeVersion = ({ change, value, altered = [] }: Version<object>, before: object | null) => {
  const { time, type, data } = change
  const action = inSentence(type.split('.')[1] ?? type)
  const fields = data.changed.map((field) => {
    const [old, now] = [before, value].map((one) => (one ? valueAt(one, field) : undefined))
    return [field, old, now] as const
  })
  const withValues = fields.filter(([, old, now]) => old !== undefined || now !== null)
  const lines = [...withValues, ...altered.map(({ field, from, to }) => [field, from, to] as const)]
  return [`${time}  ${action} by ${data.by}, version ${data.version}`, ...lines.map(describeField)]
    .map(escapeControls)
    .join('\n')
}

const describeField = ([field, old, now]: readonly [field: string, old: unknown, now: unknown]) => {
  if (now === undefined) return `  ${field}`
  return `  ${field}: ${old === undefined ? '' : `${old ?? '–'} → `}${now ?? '–'}`
}
