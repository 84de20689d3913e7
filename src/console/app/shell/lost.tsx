import { hrefTo } from '#console/app/state/route.ts'
import { Empty } from '#console/app/ui/empty.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'

export const Lost = () => {
  const { lost } = useWords()
  return (
    <Page title={lost.title}>
      <Empty icon="search" text={lost.text}>
        <a class="button" href={hrefTo('overview')}>
          {lost.home}
        </a>
      </Empty>
    </Page>
  )
}
