cdmpp --version | sed -e "s/[0-9.]*$/X/" -e "s/^compiler: .*/compiler: X/" -e "s/^LibTorch at build time: .*/LibTorch at build time: X/"
