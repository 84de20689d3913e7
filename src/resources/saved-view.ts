import { Flag, Id, Items, ReadOnly, Text } from '#core/schema.ts'
import { Requested, Shown } from '#core/shapes.ts'

/** How many views a caller keeps, and how many shared ones of others it is shown. */
export const maxViews = 50
export const maxSharedViews = 100

export const viewFields = {
  viewId: ReadOnly(Id),
  name: Text(1, 60),
  page: Text(1, 64),
  query: Text(0, 2000),
  shared: Flag,
  mine: ReadOnly(Flag),
}

export const SavedView = Shown('savedView', viewFields)
export const NewSavedView = Requested('savedView', viewFields)
export const SavedViews = Shown('savedViews', {
  content: ReadOnly(Items(SavedView, maxViews + maxSharedViews)),
})
