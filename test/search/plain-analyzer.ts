/** The simplest analyzer: what stands between blanks. The engine's own tests use it, so that they do not hang on stemming. */
import type { Analyzer } from '../../src/search/analyzer.ts'

export const plainAnalyzer: Analyzer = {
  language: 'plain',
  version: '1-plain',
  tokens(text, emit) {
    let at = 0
    for (const term of text.split(' ')) {
      if (term !== '') emit(term, at, at + term.length)
      at += term.length + 1
    }
  },
}
