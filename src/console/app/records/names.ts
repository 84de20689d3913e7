import { type DeclaredRecord, titleOfRecord } from '#console/app/api/declared.ts'
import { knownName, type RecordName } from '#console/app/api/names.ts'
import { nameOf } from '#console/app/members/name.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { textOrEmptyMark } from '#console/app/words/visible.ts'
import type { DescribedResource } from '#console/description.ts'

/** The name of a record, or the end of its id if its name is not known. */
export const nameText = (id: string, named: RecordName | undefined, words: Words): string => {
  const value = named?.value
  if (!value) return words.form.nameless(id.slice(-6))
  return 'record' in value ? titleText(value.resource, value.record) : textOrEmptyMark(nameOf(value), words)
}

/** Longer titles are shortened, because the text of a record may be its title. */
const maxTitleLength = 120

/** The title of a declared record. If it contains names of other records, `loadNamesInTitles` must have read them. */
export const titleText = (resource: DescribedResource, record: DeclaredRecord): string => {
  const words = wordsNow()
  const title = titleOfRecord(resource, record, (id) => nameText(id, knownName(id), words))
  if (title.length <= maxTitleLength) return textOrEmptyMark(title, words)
  return `${[...title.slice(0, maxTitleLength)].slice(0, -1).join('')}…`
}
