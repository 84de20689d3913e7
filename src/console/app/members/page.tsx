import { seesOnlyNames } from '#console/app/api/members.ts'
import { ListPage } from '#console/app/records/list.tsx'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import { memberKind } from './kind.ts'

export const MembersPage = () => {
  const { pages } = useWords()
  useStore(seesOnlyNames)
  return <ListPage kind={memberKind} begin={{ text: pages.import, href: hrefTo('import') }} />
}
