/**
 * Before the first of the test files that share a process: what a timer of the library may load by itself. An import that is under way
 * when a file ends fails for all that come after it, and whose agent was left open and embeds two seconds later is hard to tell.
 */
import '../src/memory/cleanup.ts'
import '../src/memory/embedding.ts'
import '../src/memory/searching.ts'
import '../src/recall/vectors/kept-meaning.ts'
import '../src/recall/vectors/native-index.ts'
