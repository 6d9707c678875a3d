/** `doctor` of a memory on a server, over a connection of its own: it looks at what no store would open, too. */
import type { Config } from '../config/load-config.ts'
import { openServer } from '../config/open-store.ts'
import type { ExamineServerOptions } from '../stores/chroma/doctor/examine.ts'
import type { Connection } from '../stores/chroma/server/connection.ts'
import type { Context } from './command.ts'
import type { Told } from './doctor-text.ts'
import { progressLine } from './progress.ts'

interface ServerDoctor {
  examined(): Promise<Told>
  mended(): Promise<Told>
}

export function serverDoctor({ given }: Pick<Context, 'given'>, config: Config): ServerDoctor {
  const connected = async <T>(
    look: (connection: Connection, options: ExamineServerOptions) => Promise<T>,
  ): Promise<T> => {
    const { connect } = await import('../stores/chroma/server/connection.ts')
    const { place, requestMs, ...wish } = openServer(config, (options) => options)
    const connection = connect(place, { requestMs })
    const progress = progressLine(given, 'steps')
    try {
      return await look(connection, { wish, onProgress: (done, total) => progress.show('Looking', done, total) })
    } finally {
      progress.end()
      connection.close()
    }
  }
  return {
    examined: () =>
      connected(async (connection, options) => {
        const { examineServer } = await import('../stores/chroma/doctor/examine.ts')
        const { findings, checked } = await examineServer(connection, options)
        return { examination: { findings, checked }, warnings: [] }
      }),
    mended: () =>
      connected(async (connection, options) => {
        const { mendServer } = await import('../stores/chroma/doctor/mend.ts')
        const mending = await mendServer(connection, options)
        return { examination: mending.examination, mending, warnings: mending.warnings }
      }),
  }
}
