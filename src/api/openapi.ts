/** The OpenAPI document, made of the routes themselves; docs/openapi.json is this text, and a test holds the two together. */
import type { Parameter, ParameterTable } from '../tools/parameters.ts'
import { schemaOf } from '../tools/parameters.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'
import { SCHEMAS } from './schemas.ts'

const DESCRIPTION = [
  'What `keepsake serve` answers at /api/v1. A program sends the token of the server as a bearer token. The page sends',
  'its cookie and, as the header `Keepsake-Key`, its key; both come from the link that the server prints, once.',
  'Every time is ISO-8601 in UTC. What is not allowed is an error that names the field and what is.',
].join(' ')

export function openapi(version: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Keepsake', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }, { cookie: [], key: [] }],
    paths: { ...pathsOf(ROUTES), ...OTHER_PATHS },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'keepsake-PORT' },
        key: { type: 'apiKey', in: 'header', name: 'Keepsake-Key' },
      },
      schemas: SCHEMAS,
      responses: { Failure: answerOf('What is wrong, and what to do about it.', 'Failure') },
    },
  }
}

/** Not JSON in and JSON out by the tables of a route. */
const OTHER_PATHS = {
  '/open': {
    post: {
      summary: 'The secret of the link, once: sets the cookie, and answers with the key',
      security: [],
      requestBody: jsonBody({
        type: 'object',
        properties: { secret: { type: 'string' } },
        required: ['secret'],
        additionalProperties: false,
      }),
      responses: responsesOf('Opened'),
    },
  },
  '/events': {
    get: {
      summary:
        'Live updates as server-sent events: "ready" with the {revision} of the workspace, then "change" with {ids, gone, scopes} whenever something changed',
      parameters: [
        {
          name: 'agent',
          in: 'query',
          required: false,
          description: 'Whose memory; "*" for every agent; left out, the agent that is served.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        '200': {
          description: 'Until the reader goes.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        default: { $ref: '#/components/responses/Failure' },
      },
    },
  },
  '/openapi.json': {
    get: {
      summary: 'This document',
      responses: {
        '200': {
          description: 'As docs/openapi.json.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        default: { $ref: '#/components/responses/Failure' },
      },
    },
  },
}

function pathsOf(routes: readonly Route[]): Readonly<Record<string, object>> {
  const paths = new Map<string, Record<string, object>>()
  for (const route of routes) {
    const { path, method, summary, inPath, query, body, answer } = route
    const parameters = [...parametersOf(inPath, 'path'), ...parametersOf(query, 'query')]
    const operations = paths.get(path) ?? {}
    operations[method.toLowerCase()] = {
      summary,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: jsonBody(schemaOf(body)) }),
      responses: responsesOf(answer),
    }
    paths.set(path, operations)
  }
  return Object.fromEntries(paths)
}

function parametersOf(table: ParameterTable, place: 'path' | 'query'): object[] {
  return Object.entries(table).map(
    ([
      name,
      {
        schema: { description, ...schema },
        must,
      },
    ]: [string, Parameter<unknown>]) => ({
      name,
      in: place,
      required: must,
      ...(description === undefined ? {} : { description }),
      schema,
    }),
  )
}

function jsonBody(schema: object): object {
  return { required: true, content: { 'application/json': { schema } } }
}

function responsesOf(answer: string): object {
  return { '200': answerOf('Done.', answer), default: { $ref: '#/components/responses/Failure' } }
}

function answerOf(description: string, schema: string): object {
  return { description, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } }
}
