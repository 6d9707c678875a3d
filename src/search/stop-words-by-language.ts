/**
 * Stop words of the languages that most people write in, as text parted by spaces: articles, pronouns, prepositions,
 * conjunctions, auxiliaries and question words, folded (no accents, `ss` for `ß`). A language that is not here has none,
 * which costs little: rare words outweigh common ones anyway.
 */
export const STOP_WORDS: Readonly<Record<string, string>> = {
  da: `en et den det de der som jeg du han hun vi i os jer dem mig dig sig min mit mine din dit dine hans hendes vores deres
    er var vaere vaeret har havde have bliver blev kan kunne skal skulle vil ville ma og eller men at om hvis fordi nar da
    ikke ingen alle nogle noget denne dette disse her af pa til fra med for over under efter ved ud op ned
    hvad hvem hvor hvornar hvorfor hvordan hvilken hvilke sa ogsa`,
  nl: `de het een ik je jij u hij zij ze wij we jullie mij me jou hem haar ons onze hun mijn jouw uw zijn dit dat deze die
    is was waren ben bent wordt werd worden heeft heb had hebben kan kunnen kon zal zou zullen moet moeten mag wil
    en of maar want dat als omdat dan toen niet geen alle er hier daar van in op aan met voor door bij naar uit over tot te om onder
    wat wie waar wanneer waarom hoe welke welk ook nog wel`,
  fr: `le la les l un une des du de d au aux je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en
    mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces ca cela
    est sont etait etaient suis es sommes etes ete etre ai as a avons avez ont avait avoir sera peut doit fait
    et ou mais si ni car donc que qu qui quoi dont ne n pas plus dans sur sous par pour avec sans chez vers entre
    quand comment pourquoi quel quelle quels quelles combien aussi tres`,
  de: `der die das den dem des ein eine einen einem einer eines ich du er sie es wir ihr mich dich sich uns euch mir dir ihm
    ihn ihnen mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere
    dieser diese dieses diesen diesem jener jene ist sind war waren bin bist sei gewesen wird werden wurde wurden
    hat habe haben hatte hatten kann konnen konnte soll sollen sollte muss mussen will wollen wurde
    und oder aber denn sondern wenn weil dass ob als wie nicht kein keine keinen
    in im an am auf aus bei beim mit nach von vom vor zu zum zur uber unter durch fur gegen ohne um bis zwischen
    was wer wen wem wann wo wohin warum wieso weshalb welche welcher welches auch noch so da hier`,
  it: `il lo la l i gli le un uno una di a da in con su per tra fra del dello della dell dei degli delle al allo alla all ai
    agli alle dal dalla nel nello nella nell nei nelle sul sulla io tu lui lei noi voi loro mi ti si ci vi me te se ne
    mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro questo questa questi queste quello quella
    e sono era erano sei siamo essere stato ho hai ha abbiamo hanno aveva avere puo deve
    ed o ma se che chi cui non piu come quando dove perche quale quali cosa anche`,
  no: `en ei et den det de der som jeg du han hun vi i oss dere dem meg deg seg min mitt mine din ditt dine hans hennes var deres
    er var vaere vaert har hadde ha blir ble kan kunne skal skulle vil ville ma og eller men at om hvis fordi nar da
    ikke ingen alle noen noe denne dette disse her av pa til fra med for over under etter ved ut opp ned
    hva hvem hvor hvorfor hvordan hvilken hvilke sa ogsa`,
  pt: `o a os as um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para com sem sobre entre ate
    ao aos eu tu ele ela nos vos eles elas voce voces me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa
    este esta estes estas esse essa isso isto aquele aquela aquilo e sao era eram sou somos ser foi foram sido
    tem tinha ter tenho temos ha pode deve ou mas se que quem nao mais como quando onde porque qual quais quanto tambem`,
  ru: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о
    из ему когда даже ну ли если или ни быть был него до вас уж вам ведь там потом себя они тут где есть надо неи для мы тебя их чем
    была сам без чего себе под будет кто этот того потому этого какои какая какие ним здесь этом мои чтобы нее были куда зачем
    над при об эти эта это нас них почему`,
  es: `el la los las lo un una unos unas de del a al en con por para sin sobre entre hasta desde yo tu el ella nosotros vosotros
    ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa eso esto
    aquel aquella es son era eran soy eres somos ser fue fueron sido esta estan estaba estar
    he has ha hemos han habia haber tiene tenia puede debe y e o u pero si que quien quienes no mas como cuando donde
    porque cual cuales cuanto tambien`,
  sv: `en ett den det de som jag du han hon vi i oss er dem mig dig sig min mitt mina din ditt dina hans hennes var vara deras
    ar var varit har hade ha blir blev kan kunde ska skulle vill ville maste och eller men att om eftersom nar da
    inte ingen alla nagon nagot denna detta dessa har av pa till fran med for over under efter vid ut upp ner
    vad vem vilka vilken vilket hur varfor sa ocksa`,
}
