/** A database URL that may be shown. */
export const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/@]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/gi, '$1***')
