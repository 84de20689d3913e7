import { hrefTo } from '#console/app/state/route.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Copy } from '#console/app/ui/message.tsx'
import { useWords } from '#console/app/words/index.ts'

/** The first steps, shown while the service is empty. */
export const FirstSteps = () => {
  const { overview, members } = useWords()
  const words = overview.first
  const { name } = useStore(session)
  const credentials = name === undefined ? '' : ` -u '${name}'`
  const curlCommand = `curl${credentials} -d '{"todoTitle":"Milk"}' -H 'Content-Type: application/json' ${location.origin}/api/v1/todos`
  return (
    <section class="sheet sheet-padded stack">
      <h2>{words.title}</h2>
      <p>
        <a href={hrefTo('members/new')}>{words.add}</a>
        {name !== undefined && ` ${words.invite(members.invite)}`}
      </p>
      <p>
        <a href={hrefTo('import')}>{words.file}</a>
      </p>
      <p class="failure-track">
        {words.call} <code>{curlCommand}</code> <Copy text={curlCommand} label={words.call} />
      </p>
    </section>
  )
}
