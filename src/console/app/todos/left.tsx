import { useWords } from '#console/app/words/index.ts'

/** The rule of the service, counted as it counts: in code points. */
export const longestTitle = 30

/** From here on it is worth saying how many are left. */
const saidFrom = 18

export const Left = ({ id, title }: { id: string; title: string }) => {
  const { todos: words } = useWords()
  const length = [...title].length
  const left = longestTitle - length
  return (
    <p id={id} class={left < 0 ? 'todo-left todo-left-over' : 'todo-left'} hidden={length < saidFrom}>
      {left < 0 ? words.over(-left) : words.left(left)}
    </p>
  )
}
