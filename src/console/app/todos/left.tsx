import { useWords } from '#console/app/words/index.ts'
import { lengthOf, maxTitleLength } from './title.ts'

/** Below this, the number of characters left is shown. */
const shownFrom = 18

export const Left = ({ id, title }: { id: string; title: string }) => {
  const { todos: words } = useWords()
  const length = lengthOf(title)
  const left = maxTitleLength - length
  return (
    <p id={id} class={left < 0 ? 'todo-left todo-left-over' : 'todo-left'} hidden={length < shownFrom}>
      {left < 0 ? words.over(-left) : words.left(left)}
    </p>
  )
}
