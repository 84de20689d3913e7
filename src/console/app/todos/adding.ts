import { randomId } from '#client/random-id.ts'
import { type Failure, type Fault, faultsByTarget, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { store } from '#console/app/state/store.ts'
import { warnBeforeClosing } from '#console/app/state/unsaved.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { faultText, quotedText } from '#console/app/words/visible.ts'

/** A title to add. Even if the title is sent several times, one todo is added. */
export interface Addition {
  readonly title: string
  readonly key: string
  /** Whether the todo may exist already, because an answer was lost. */
  readonly isUncertain: boolean
}

interface NewTodoState {
  readonly typed: string
  readonly fault?: Fault | undefined
  /** The refused title in the field, until it is edited. */
  readonly returned?: Addition | undefined
}

/** The text typed for a new todo. It is kept until the user comes back to the page. */
export const adding = store<NewTodoState>({ typed: '' })

export const type = (typed: string) => {
  const { returned } = adding.get()
  adding.set({ typed, returned: returned?.title === titleOf(typed) ? returned : undefined })
}

interface AddOptions {
  /** Resolves to the failure, or to undefined. */
  readonly send: (addition: Addition) => Promise<Failure | undefined>
  /** Whether the user still sees the field. */
  readonly isShown: () => boolean
}

/** Sends the typed title, and clears the field immediately. */
export const add = async ({ send, isShown }: AddOptions) => {
  const { typed, returned } = adding.get()
  const title = titleOf(typed)
  const fault = faultOf(title)
  if (fault) return adding.set({ typed: title && typed, fault, returned })
  adding.set({ typed: '' })
  const addition = returned ?? { title, key: randomId(), isUncertain: false }
  const allowClosing = warnBeforeClosing()
  const failure = await send(addition)
  allowClosing()
  if (failure) putBackTitle(addition, failure, isShown)
}

/** Puts a refused title back into the field, unless other text was typed meanwhile. If the user does not see the field, a note reports the refusal. */
const putBackTitle = (addition: Addition, failure: Failure, isShown: () => boolean) => {
  const words = wordsNow()
  const { title } = addition
  const isUncertain = addition.isUncertain || isOutcomeUnknown(failure)
  const fault = faultsByTarget(failure).get('todoTitle')
  const isFree = titleOf(adding.get().typed) === ''
  if (isFree) adding.set({ typed: title, fault, returned: { ...addition, isUncertain } })
  if (isFree && fault && isShown()) return
  const said = isUncertain ? words.todos.failed.addPerhaps : words.todos.failed.add
  notifyFailure(said(quotedText(title, words)), failure, fault && faultText(fault, words))
}

let release: (() => void) | undefined

/** Only closing or reloading would lose the input; other pages of the console keep it. */
adding.watch(() => {
  const isEmpty = titleOf(adding.get().typed) === ''
  if (!isEmpty) release ??= warnBeforeClosing()
  else {
    release?.()
    release = undefined
  }
})

/** The title to send, without white space around it. */
export const titleOf = (typed: string) => typed.trim()

/** The limit of the service, counted as the service counts, in code points. */
export const maxTitleLength = 30

export const lengthOf = (title: string) => [...title].length

/** The fault of a title that is empty or too long. The title is not sent, because it would appear in the list until it is refused. */
export const faultOf = (title: string): Fault | undefined => {
  if (title === '') return { code: 'NotNull', message: '' }
  return lengthOf(title) > maxTitleLength ? { code: 'Size', message: `1 ${maxTitleLength}` } : undefined
}
