import { Empty } from '#console/app/ui/empty.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { Charts } from './charts.tsx'
import { Tiles } from './tiles.tsx'
import { useWatch } from './watch.ts'

export const OverviewPage = () => {
  const words = useWords()
  const { isAbsent, points } = useWatch()
  return (
    <Page title={words.pages.overview} subtitle={words.overview.subtitle}>
      <Tiles />
      {isAbsent ? (
        <div class="sheet">
          <Empty icon="overview" title={words.overview.absentTitle} text={words.overview.absentText} />
        </div>
      ) : (
        <Charts points={points} />
      )}
    </Page>
  )
}
