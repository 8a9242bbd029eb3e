# The canonical text is its own canonical text, and has the same AST and features.
for dump in "$TOP"/data/demo/*.py "$TOP"/data/demo/*.json; do
    cdmpp show "$dump" >once
    cdmpp show once >twice
    cmp once twice || echo "$dump: text"
    cdmpp show --ast "$dump" >ast
    cdmpp show --ast once | cmp - ast || echo "$dump: AST"
    cdmpp features "$dump" | cut -f 3- >features
    cdmpp features once | cut -f 3- | cmp - features || echo "$dump: features"
    test -s once && test -s ast && test -s features || echo "$dump: nothing"
done
