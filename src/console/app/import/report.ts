import { nameFields } from '#console/app/members/name.ts'
import { saveCsv } from '#console/app/ui/download.tsx'
import { reasonOf } from '#console/app/ui/failed.tsx'
import type { Words } from '#console/app/words/index.ts'
import { faultText } from '#console/app/words/visible.ts'
import type { Batch, Body, Detail } from './record.ts'
import type { Refusal } from './send.ts'

/** Why a record was refused, in terms of its fields. */
export const reasonIn = ({ record, failure }: Refusal, words: Words): string => {
  const { fault, details } = record
  if (fault) return words.import.faults[fault]
  const found = failure?.details ?? details
  return failure && found.length === 0
    ? reasonOf(failure, words)
    : found.map((detail) => reasonOfField(detail, words)).join(' ')
}

const reasonOfField = (detail: Detail, words: Words) => {
  const { code, target = '', message } = detail
  const { forms, missing, wrongForm, faultOf } = words.import
  const label = labelOf(target, words)
  const form = forms[target as keyof typeof forms]
  if (code === 'NotNull') return missing(label)
  if (form && (code === 'WrongType' || code === 'ExistInCodeList')) return wrongForm(label, form)
  return faultOf(label, faultText({ code, message }, words))
}

/** What a field is called. A missing credential means that the password is missing. */
export const labelOf = (field: string, { import: words, members, todos }: Words): string => {
  const labels: Readonly<Record<string, string>> = {
    ...members.fields,
    credential: members.fields['credential.password'],
    todoTitle: words.named.todos,
    finished: todos.filters.finished,
  }
  return labels[field] ?? field
}

/** Saves the refused records, passwords included, to be mended and imported again. */
export const saveRefused = (refusals: readonly Refusal[], { headings }: Batch, words: Words) => {
  const rows = refusals.map((refusal) => [reasonIn(refusal, words), ...refusal.record.cells])
  saveCsv('rollcall-refused.csv', [[words.import.reason, ...headings], ...rows])
}

/** Saves the passwords that were generated, if there are any. */
export const savePasswords = ({ records }: Batch, words: Words) => {
  const made = records.filter(({ isPasswordMade, details }) => isPasswordMade && details.length === 0)
  const rows = made.map(({ body }) => {
    const { signId, password } = body.credential as Body
    const names = nameFields().map((field) => body[field])
    return [...names, signId || String(body.emailAddress).toLowerCase(), password].map(String)
  })
  const fields = [...nameFields(), 'credential.signId', 'credential.password']
  if (rows.length > 0)
    saveCsv('rollcall-passwords.csv', [fields.map((field) => labelOf(field, words)), ...rows])
}
