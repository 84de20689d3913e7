import type { ComponentChildren } from 'preact'
import { ImportPage } from './import/page.tsx'
import { EditMemberPage } from './members/edit.tsx'
import { MemberPage } from './members/member.tsx'
import { NewMemberPage } from './members/new.tsx'
import { MembersPage } from './members/page.tsx'
import { OverviewPage } from './overview/page.tsx'
import { Leaving } from './shell/leaving.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { useLoad } from './state/load.ts'
import { hrefTo, type Route, route } from './state/route.ts'
import { useStore } from './state/store.ts'
import { TodosPage } from './todos/page.tsx'
import { Button } from './ui/button.tsx'
import { Empty } from './ui/empty.tsx'
import { Failed } from './ui/failed.tsx'
import { Page } from './ui/page.tsx'
import { useWords } from './words/index.ts'

export const App = () => {
  const current = useStore(route)
  return (
    <>
      <Shell>{pageOf(current)}</Shell>
      <Leaving />
      <SignIn />
    </>
  )
}

/** Every page of the console, by its address. */
const pageOf = ({ path: [page = 'overview', ...rest] }: Route): ComponentChildren => {
  const [id, action] = rest
  if (page === 'overview') return <OverviewPage key="overview" />
  if (page === 'todos') return <TodosPage key="todos" />
  if (page === 'import') return <ImportPage key="import" />
  if (page === 'docs') return <Documents key="docs" path={rest} />
  if (page !== 'members') return <Lost key="lost" />
  if (id === undefined) return <MembersPage key="members" />
  if (id === 'new') return <NewMemberPage key="new" />
  if (action === 'edit') return <EditMemberPage key={`${id}/edit`} memberId={id} />
  return <MemberPage key={id} memberId={id} />
}

/** The documents, whose code is loaded when they are first opened. */
const Documents = ({ path }: { path: readonly string[] }) => {
  const { value, failure, reload } = useLoad('documents', () => import('./documents/page.tsx'))
  if (value) return <value.DocumentsPage path={path} />
  return <Page title={undefined}>{failure && <Failed failure={failure} onRetry={reload} />}</Page>
}

const Lost = () => {
  const { lost } = useWords()
  return (
    <Page title={lost.title}>
      <Empty icon="search" text={lost.text}>
        <Button text={lost.home} href={hrefTo('overview')} />
      </Empty>
    </Page>
  )
}
