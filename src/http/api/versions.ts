import { httpDate } from '#http/wire/http-date.ts'

interface Deprecation {
  readonly deprecatedAt?: number | undefined
  readonly sunsetAt?: number | undefined
  readonly successor?: string | undefined
}

/** What every answer of a deprecated version carries (RFC 9745, RFC 8594). */
export const deprecationHeaders = ({ deprecatedAt, sunsetAt, successor }: Deprecation): readonly string[] => [
  ...(deprecatedAt === undefined ? [] : ['Deprecation', `@${Math.floor(deprecatedAt / 1000)}`]),
  ...(sunsetAt === undefined ? [] : ['Sunset', httpDate(sunsetAt)]),
  ...(successor === undefined ? [] : ['Link', `<${successor}>; rel="successor-version"`]),
]
