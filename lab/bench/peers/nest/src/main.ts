import 'reflect-metadata'
import { ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { AppModule } from './app.module.js'

const quiet = { logger: ['error', 'warn'] as ('error' | 'warn')[] }
const app =
  process.env.ADAPTER === 'fastify'
    ? await NestFactory.create(AppModule, new FastifyAdapter(), quiet)
    : await NestFactory.create(AppModule, quiet)
app.useGlobalPipes(new ValidationPipe())
await app.listen(Number(process.env.PORT), '127.0.0.1')
