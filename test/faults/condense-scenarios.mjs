// Every way to condense a session and to take that back, each as a state that is prepared unharmed and the call that meets the fault.
// `states` are those that may be found afterwards, from before the call to the whole of it. A call that was made again must come to
// the last of them. condense-account.mjs says what holds in each.
import { acceptReview, consolidate, rejectReview, retryFallbacks } from '../../dist/index.js'
import * as account from './condense-account.mjs'
import { stateIn } from './condense-account.mjs'
import { FACTS, failingModel, goodModel, LITTLE, memoryWith, shrinkingModel } from './condense-model.mjs'
import { exchange, KEY, same } from './session-account.mjs'

const FIRST = [...exchange(1), ...exchange(2)]
const MORE = [...FIRST, ...exchange(3), ...exchange(4)]
/** Two of these are as much as a model is given at once. */
const LONG = MORE.map((turn) => ({ ...turn, content: `${turn.content} ${'and so on '.repeat(1600).trim()}` }))

const inTurn =
  (...calls) =>
  async (opened) => {
    for (const call of calls) await call(opened)
  }

/** As clients speak: one exchange after the other. */
const saying = (turns) => async (opened) => {
  for (let at = 0; at < turns.length; at += 2) await opened.memory.session(KEY).append(turns.slice(at, at + 2))
}

const knowing = ({ memory }) => memory.reflect(FACTS.join('\n'))
const talking = (turns) => inTurn(knowing, saying(turns))

const condensing =
  (model, options = {}) =>
  async ({ memory }) =>
    told(await consolidate(memory, KEY, { model, ...options }))

const retrying = async ({ memory }) => {
  const done = await retryFallbacks(memory, { model: goodModel })
  return { warnings: done.flatMap((one) => told(one).warnings) }
}

/** That the model fails is in the script; anything else is the fault. */
function told(done) {
  if (done.failure && done.failure.code !== 'MODEL') throw done.failure
  return done
}

const accepting = ({ memory }) => acceptReview(memory)
const rejecting = ({ memory }) => rejectReview(memory)

/** Takes back the last thing that happened to the archive: its making, or the undo of that. */
const undoing = async ({ memory }) => {
  const [last] = await memory.log({ ref: `${KEY}-1`, limit: 1 })
  return memory.undo({ changes: [last.change.number] })
}

const purging = ({ memory }) => memory.purge(`${KEY}-1`)
const forgetting = ({ memory }) => memory.forget(`${KEY}-1`)

const ids = (...turns) => turns.flat().map(({ id }) => id)

/** Said, and not condensed. */
const untouched = (turns, memory = memoryWith()) => ({ live: ids(turns), archives: [], history: [], memory })

const CONDENSED = {
  live: [],
  archives: ['1 q1..a2 compact'],
  history: ['Talked of 1, 2.'],
  memory: memoryWith([1, 2]),
}
const FIRST_PIECE = { ...CONDENSED, live: ids(exchange(3), exchange(4)), archives: ['1 q1..a2 trim'] }
const BEGUN_ANEW = { ...CONDENSED, archives: ['1 q1..a2 new'] }
const FALLEN_BACK = {
  live: ids(FIRST),
  archives: ['1 q1..a2 compact raw'],
  history: ['raw, 4 messages'],
  memory: memoryWith(),
}
const BEGUN_ANEW_RAW = { ...FALLEN_BACK, live: [], archives: ['1 q1..a2 new raw'] }
const RETRIED = { ...CONDENSED, history: ['Talked of 1, 2.', 'raw, 4 messages'] }
const RETRIED_ANEW = { ...RETRIED, archives: ['1 q1..a2 new'] }
const FOR_REVIEW = { ...CONDENSED, archives: ['1 q1..a2 compact for review'], memory: memoryWith() }

const scenarios = [
  {
    name: 'a condensing',
    prepare: talking(FIRST),
    said: FIRST,
    step: condensing(goodModel),
    states: [untouched(FIRST), CONDENSED],
  },
  {
    name: 'a condensing without a MEMORY.md',
    prepare: saying(FIRST),
    said: FIRST,
    step: condensing(goodModel),
    states: [untouched(FIRST, null), CONDENSED],
  },
  {
    name: 'a second condensing, of an overflow',
    prepare: inTurn(talking(FIRST), condensing(goodModel), saying(MORE.slice(4))),
    said: MORE,
    step: condensing(goodModel, { reason: 'trim', keepMessages: 2 }),
    states: [
      { ...CONDENSED, live: ids(exchange(3), exchange(4)) },
      {
        live: ids(exchange(4)),
        archives: ['1 q1..a2 compact', '2 q3..a3 trim'],
        history: ['Talked of 1, 2.', 'Talked of 3.'],
        memory: memoryWith([1, 2], [3]),
      },
    ],
  },
  {
    name: 'a condensing in two pieces',
    prepare: talking(LONG),
    said: LONG,
    step: condensing(goodModel),
    states: [
      untouched(LONG),
      FIRST_PIECE,
      {
        live: [],
        archives: ['1 q1..a2 trim', '2 q3..a4 compact'],
        history: ['Talked of 1, 2.', 'Talked of 3, 4.'],
        memory: memoryWith([1, 2], [3, 4]),
      },
    ],
  },
  {
    name: 'a condensing whose model fails at the second piece',
    prepare: talking(LONG),
    said: LONG,
    step: condensing((prompt) => (prompt.includes(exchange(3)[0].content) ? failingModel() : goodModel(prompt))),
    states: [
      untouched(LONG),
      FIRST_PIECE,
      {
        ...FIRST_PIECE,
        archives: ['1 q1..a2 trim', '2 q3..a4 compact raw'],
        history: ['Talked of 1, 2.', 'raw, 4 messages'],
      },
    ],
  },
  {
    name: 'a beginning anew',
    prepare: talking(FIRST),
    said: FIRST,
    step: condensing(goodModel, { reason: 'new' }),
    states: [untouched(FIRST), BEGUN_ANEW],
  },
  {
    name: 'a condensing whose model fails',
    prepare: talking(FIRST),
    said: FIRST,
    step: condensing(failingModel),
    states: [untouched(FIRST), FALLEN_BACK],
  },
  {
    name: 'a beginning anew whose model fails',
    prepare: talking(FIRST),
    said: FIRST,
    step: condensing(failingModel, { reason: 'new' }),
    states: [untouched(FIRST), BEGUN_ANEW_RAW],
  },
  {
    name: 'the retry of what fell back',
    prepare: inTurn(talking(FIRST), condensing(failingModel)),
    said: FIRST,
    step: retrying,
    states: [FALLEN_BACK, RETRIED],
  },
  {
    name: 'the retry of what fell back when it began anew',
    prepare: inTurn(talking(FIRST), condensing(failingModel, { reason: 'new' })),
    said: FIRST,
    step: retrying,
    states: [BEGUN_ANEW_RAW, RETRIED_ANEW],
  },
  {
    name: 'a condensing of what fell back and more',
    prepare: inTurn(talking(FIRST), condensing(failingModel), saying(exchange(3))),
    said: [...FIRST, ...exchange(3)],
    step: condensing(goodModel),
    states: [
      { ...FALLEN_BACK, live: ids(FIRST, exchange(3)) },
      {
        live: [],
        archives: ['1 q1..a3 compact'],
        history: ['Talked of 1, 2, 3.', 'raw, 4 messages'],
        memory: memoryWith([1, 2, 3]),
      },
    ],
  },
  {
    name: 'a beginning anew of what fell back and more, whose model fails too',
    prepare: inTurn(talking(FIRST), condensing(failingModel), saying(exchange(3))),
    said: [...FIRST, ...exchange(3)],
    step: condensing(failingModel, { reason: 'new' }),
    states: [
      { ...FALLEN_BACK, live: ids(FIRST, exchange(3)) },
      {
        ...FALLEN_BACK,
        live: [],
        archives: ['1 q1..a3 new raw'],
        history: ['raw, 4 messages', 'raw, 6 messages'],
      },
    ],
  },
  {
    name: 'a condensing whose rewrite is kept for review',
    prepare: talking(FIRST),
    said: FIRST,
    step: condensing(shrinkingModel),
    states: [untouched(FIRST), FOR_REVIEW],
  },
  {
    name: 'the acceptance of a rewrite',
    prepare: inTurn(talking(FIRST), condensing(shrinkingModel)),
    said: FIRST,
    step: accepting,
    again: unlessDone(accepting),
    states: [FOR_REVIEW, { ...CONDENSED, memory: LITTLE }],
  },
  {
    name: 'the rejection of a rewrite',
    prepare: inTurn(talking(FIRST), condensing(shrinkingModel)),
    said: FIRST,
    step: rejecting,
    again: unlessDone(rejecting),
    states: [FOR_REVIEW, { ...CONDENSED, memory: memoryWith() }],
  },
  {
    name: 'the undo of a condensing',
    prepare: inTurn(talking(FIRST), condensing(goodModel)),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [CONDENSED, untouched(FIRST)],
  },
  {
    name: 'the undo of the undo of a condensing',
    prepare: inTurn(talking(FIRST), condensing(goodModel), undoing),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [untouched(FIRST), CONDENSED],
  },
  {
    name: 'the undo of a beginning anew',
    prepare: inTurn(talking(FIRST), condensing(goodModel, { reason: 'new' })),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [BEGUN_ANEW, untouched(FIRST)],
  },
  {
    name: 'the undo of the retry of what fell back',
    prepare: inTurn(talking(FIRST), condensing(failingModel), retrying),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [RETRIED, FALLEN_BACK],
  },
  {
    name: 'the undo of the retry of what fell back when it began anew',
    prepare: inTurn(talking(FIRST), condensing(failingModel, { reason: 'new' }), retrying),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [RETRIED_ANEW, BEGUN_ANEW_RAW],
  },
  {
    name: 'the undo of the acceptance of a rewrite',
    prepare: inTurn(talking(FIRST), condensing(shrinkingModel), accepting),
    said: FIRST,
    step: undoing,
    again: unlessDone(undoing),
    states: [{ ...CONDENSED, memory: LITTLE }, FOR_REVIEW],
  },
  {
    name: 'a condensing after one was taken back',
    prepare: inTurn(talking(FIRST), condensing(goodModel), undoing),
    said: FIRST,
    step: condensing(goodModel),
    states: [untouched(FIRST), CONDENSED],
  },
  {
    name: 'the purge of a condensing',
    prepare: inTurn(talking(FIRST), condensing(goodModel)),
    said: FIRST,
    step: purging,
    again: unlessDone(purging),
    states: [CONDENSED, untouched(FIRST, memoryWith([1, 2]))],
  },
  {
    name: 'a condensing of what fell back and was forgotten',
    prepare: inTurn(talking(FIRST), condensing(failingModel), forgetting),
    said: FIRST,
    step: condensing(goodModel),
    states: [{ ...untouched(FIRST), history: ['raw, 4 messages'] }, RETRIED],
  },
]

/** Who was not told whether it was done looks before it is done again. */
function unlessDone(step) {
  return async (opened, { states }) => {
    if (!same(await stateIn(opened.memory), states.at(-1))) await step(opened)
  }
}

export const condenseScenarios = scenarios.map((scenario) => ({ ...scenario, account }))
