import { bundle } from './bundle.ts'

// A program of its own: what makes the console must not hold up who serves it.
const startedAtMs = performance.now()
await bundle()
process.stdout.write(`The console was made in ${Math.round(performance.now() - startedAtMs)} ms.\n`)
