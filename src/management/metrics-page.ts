import type { Responder } from '#http/api.ts'

const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics in the Prometheus text format. */
export const metricsPage =
  (metrics: { text(): Promise<string> }): Responder =>
  async () => ({
    status: 200,
    headers: ['Content-Type', contentType, 'Cache-Control', 'no-store'],
    body: await metrics.text(),
  })
