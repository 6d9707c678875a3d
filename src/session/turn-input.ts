/** A turn as somebody brings it, checked: what a transcript takes in is kept for ever, and goes into entries and prompts. */
import { InvalidError } from '../errors.ts'
import { normalizeText } from '../model/content.ts'
import { newId } from '../model/id.ts'
import { normalizeRecord } from '../model/json.ts'
import { type OptionNames, requireOptions } from '../model/options.ts'
import { instant, requireInstant } from '../model/time.ts'
import type { Clock } from '../ports/clock.ts'
import { ROLES, type Role, type Turn, type TurnInput } from './records.ts'

const LONGEST_ID = 200
const TURN: OptionNames<TurnInput> = { role: true, content: true, at: true, tools: true, metadata: true, id: true }
const GIVEN: OptionNames<GivenText> = { text: true, at: true }
const MAY_BE_BLANK: readonly Role[] = ['assistant', 'tool']

/** One or several; an error names the field, and of several the place. */
export function checkedTurns(given: TurnInput | readonly TurnInput[], clock: Clock): Turn[] {
  if (!Array.isArray(given)) return [checkedTurn(given as TurnInput, '', clock)] // the type knows lists only by isArray
  if (given.length === 0) throw new InvalidError('turns', 'is empty', 'at least one turn')
  return given.map((turn: TurnInput, index) => checkedTurn(turn, `turns[${index}].`, clock))
}

/** As they come from another transcript: each is known by its own id. */
export function checkedImport(given: readonly TurnInput[], clock: Clock): Turn[] {
  if (!Array.isArray(given)) throw new InvalidError('turns', 'is not a list', 'a list of turns')
  return given.map((turn: TurnInput, index) => {
    const place = `turns[${index}].`
    if (turn?.id === undefined) throw new InvalidError(`${place}id`, 'is missing', ID_HINT)
    return checkedTurn(turn, place, clock)
  })
}

/** A text that a transcript shows to have been given by us. */
export interface GivenText {
  readonly text: string
  /** When; left out: before all turns that are imported with it. */
  readonly at?: string
}

export function checkedGiven(given: unknown): GivenText[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw new InvalidError('given', 'is not a list', GIVEN_HINT)
  return given.map((one: unknown, index) => {
    const { text, at }: { text?: unknown; at?: unknown } = typeof one === 'object' && one !== null ? one : { text: one }
    if (typeof text !== 'string') throw new InvalidError(`given[${index}]`, 'is no text', GIVEN_HINT)
    if (typeof one === 'object' && one !== null) requireOptions<object>(one, `given[${index}]`, GIVEN)
    return { text, ...(at === undefined ? {} : { at: requireInstant(at, `given[${index}].at`) }) }
  })
}

const GIVEN_HINT = 'a list of texts, each by itself or as {text, at}'

function checkedTurn(given: TurnInput, place: string, clock: Clock): Turn {
  if (typeof given !== 'object' || given === null) {
    throw new InvalidError(`${place}turn`, 'is no object', 'a turn with role and content')
  }
  requireOptions(given, place === '' ? 'turn' : place.slice(0, -1), TURN)
  const ms = clock()
  const role = checkedRole(given.role, `${place}role`)
  const tools = checkedTools(given.tools, `${place}tools`)
  const content = normalizeText(given.content, `${place}content`)
  if (content.trim() === '' && !(tools.length > 0 && MAY_BE_BLANK.includes(role))) {
    const allowed = "text that is not blank, unless it is an assistant's or a tool's turn with tools"
    throw new InvalidError(`${place}content`, 'is empty', allowed)
  }
  return {
    id: given.id === undefined ? newId(ms) : checkedId(given.id, `${place}id`),
    role,
    content,
    at: given.at === undefined ? instant(ms) : requireInstant(given.at, `${place}at`),
    tools,
    metadata: normalizeRecord(given.metadata),
  }
}

function checkedRole(value: unknown, field: string): Role {
  const role = ROLES.find((one) => one === value)
  if (role === undefined) throw new InvalidError(field, `"${String(value)}" is not a role`, ROLES.join(', '))
  return role
}

function checkedTools(value: unknown, field: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new InvalidError(field, 'is not a list', 'a list of names')
  return value.map((name: unknown, index) => {
    const text = normalizeText(name, `${field}[${index}]`)
    if (text.trim() === '') throw new InvalidError(`${field}[${index}]`, 'is empty', 'the name of a tool')
    return text
  })
}

const ID_HINT = `a text of 1 to ${LONGEST_ID} characters that tells it from every other turn`

function checkedId(value: unknown, field: string): string {
  const id = normalizeText(value, field)
  if (id.trim() === '' || id.length > LONGEST_ID) throw new InvalidError(field, 'is empty or too long', ID_HINT)
  return id
}
