import { bundle } from './bundle.ts'

// A program of its own, because building the console must not hold up the service.
const startedAtMs = performance.now()
await bundle()
process.stdout.write(`Built the console in ${Math.round(performance.now() - startedAtMs)} ms.\n`)
