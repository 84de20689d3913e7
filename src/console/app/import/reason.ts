import type { ErrorDetail } from '#client/index.ts'
import type { Failure } from '#console/app/api/failure.ts'
import { reasonOf } from '#console/app/ui/failed.tsx'
import type { Words } from '#console/app/words/index.ts'
import { shortName } from './columns.ts'

/** Why a record was refused, in terms of the columns of its file. */
export const reasonByColumns = (failure: Failure, words: Words): string =>
  failure.details.length === 0
    ? reasonOf(failure, words)
    : failure.details.map((detail) => reasonOfColumn(detail, words)).join(' ')

const reasonOfColumn = ({ code, target = '', message }: ErrorDetail, { import: words }: Words) => {
  const column = columnOf(target)
  const form = words.forms[column as keyof typeof words.forms]
  if (code === 'NotNull') return words.missing(column)
  if (form && (code === 'WrongType' || code === 'ExistInCodeList')) return words.wrongForm(column, form)
  return message.replace(`"${target}"`, column)
}

/** A missing credential means that the password is missing; the sign id is optional. */
const columnOf = (target: string) => (target === 'credential' ? 'password' : shortName(target))
