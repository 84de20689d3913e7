import { general } from './general.ts'
import { members } from './members.ts'
import { overview } from './overview.ts'
import { records } from './records.ts'
import { textsIn } from './texts.ts'
import { todos } from './todos.ts'

export const wordsNow = textsIn({ ...general, ...records, overview, members, todos })

export const useWords = wordsNow

export type Words = ReturnType<typeof wordsNow>
