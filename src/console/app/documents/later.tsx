import { useLoad } from '#console/app/state/load.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'

/** The documents, whose code is loaded when they are first opened. */
export const Documents = ({ path }: { path: readonly string[] }) => {
  const { value, failure, reload } = useLoad('documents', () => import('./page.tsx'))
  if (value) return <value.DocumentsPage path={path} />
  return <Page title={undefined}>{failure && <Failed failure={failure} onRetry={reload} />}</Page>
}
