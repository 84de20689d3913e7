import type { ComponentChildren } from 'preact'
import { addedResources, readDeclared } from '#console/app/api/declared.ts'
import { HomePage } from '#console/app/home/page.tsx'
import { MemberPage, MembersPage } from '#console/app/members/page.tsx'
import { Shell } from '#console/app/shell/shell.tsx'
import { SignIn } from '#console/app/sign-in/sign-in.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { locale } from '#console/app/state/preferences.ts'
import { hrefTo, type Route, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { cancelLeaving, pendingLeave } from '#console/app/state/unsaved.ts'
import { TodosPage } from '#console/app/todos/page.tsx'
import { Button } from '#console/app/ui/button.tsx'
import { Confirm } from '#console/app/ui/dialog.tsx'
import { loadLazy } from '#console/app/ui/lazy.tsx'
import { Empty, Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'

/** Rendered again when the language changes, and when the declared resources are loaded, because they can add fields to members and todos. */
export const App = () => {
  useStore(addedResources)
  useStore(locale)
  const current = useStore(route)
  const [page, secret = ''] = current.path
  if (page === 'invitation') return <LazyPage key={secret} name="invitation" path={[secret]} />
  return (
    <>
      <Shell>{pageOf(current)}</Shell>
      <LeaveQuestion />
      <SignIn />
    </>
  )
}

const lazyPageNames = ['import', 'docs', 'activity', 'service'] as const

/** The page of the console at an address. */
const pageOf = ({ path: [page = 'overview', ...rest] }: Route): ComponentChildren => {
  const [id, action] = rest
  if (page === 'overview') return <HomePage key="overview" />
  const lazyName = lazyPageNames.find((one) => one === page)
  if (lazyName) return <LazyPage key={lazyName} name={lazyName} path={rest} />
  if (page === 'todos' && id === undefined) return <TodosPage key="todos" />
  if (page !== 'members') return <DeclaredOrNotFound key={page} page={page} path={rest} />
  if (id === undefined) return <MembersPage key="members" />
  if (id === 'new') return <LazyPage key="new" name="new" path={[]} />
  if (action === 'edit') return <LazyPage key={`${id}/edit`} name="edit" path={[id]} />
  if (action === 'history') return <LazyPage key={`${id}/history`} name="history" path={[page, id]} />
  return <MemberPage key={id} memberId={id} />
}

/** The page of a declared resource, or the page for an unknown address. */
const DeclaredOrNotFound = ({ page, path }: { page: string; path: readonly string[] }) => {
  const { value, failure, reload } = useLoad('resources', readDeclared)
  const [id = '', action] = path
  if (!value) return <Page title={undefined}>{failure && <Failed failure={failure} onRetry={reload} />}</Page>
  if (!value.some(({ plural }) => plural === page)) return <NotFoundPage />
  return action === 'history' ? (
    <LazyPage key={`${id}/history`} name="history" path={[page, id]} />
  ) : (
    <LazyPage key={path.join('/')} name="declared" path={[page, ...path]} />
  )
}

const loadLazyPages = async () => (await loadLazy()).lazyPages

type LazyPageName = keyof Awaited<ReturnType<typeof loadLazyPages>>

const LazyPage = ({ name, path }: { name: LazyPageName; path: readonly string[] }) => {
  const load = async () => ({ Component: (await loadLazyPages())[name] })
  const words = useWords()
  const { value, failure } = useLoad(name, load)
  if (value) return <value.Component path={path} />
  return (
    <Page title={failure && words.failure.unforeseen}>
      {failure && <Failed failure={failure} onRetry={() => location.reload()} />}
    </Page>
  )
}

const NotFoundPage = () => {
  const { noPage } = useWords()
  return (
    <Page title={noPage.title}>
      <Empty icon="search" text={noPage.text}>
        <Button text={noPage.home} href={hrefTo('overview')} />
      </Empty>
    </Page>
  )
}

/** Asks for confirmation before leaving unsaved input. */
const LeaveQuestion = () => {
  const { leaving: words } = useWords()
  const leave = useStore(pendingLeave)
  if (!leave) return null
  return (
    <Confirm
      title={words.title}
      text={words.text}
      no={words.stay}
      yes={words.leave}
      onNo={cancelLeaving}
      onYes={leave}
    />
  )
}
