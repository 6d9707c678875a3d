/**
 * English words too common to search by: a query is better off without them, unless it has no others. Folded, as they
 * come out of the analyzer before stemming, so "don't" is `dont`, and "what's" is `what`. Words that are also names
 * or carry a question's meaning ("first", "last", "new", "never") are not among them.
 */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the
  i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
  it its itself they them their theirs themselves one
  this that these those here there
  who whom whose what which when where why how
  am is are was were be been being have has had having do does did doing done
  will would shall should can could might must ought
  isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt wont wouldnt shant shouldnt cant cannot couldnt mustnt
  and but or nor if because as until while than then so though although whether
  of at by for with about against between into through during before after above below to from up down in out on off
  over under within without upon onto via per among across toward towards
  not no yes any some all both each every either neither few more most much many other others another such same own only
  just too very also again once ever quite rather still
  im ive youre hes shes theyre lets thats whos whats heres theres wheres hows
  eg ie etc`
    .trim()
    .split(/\s+/),
)
